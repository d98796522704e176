import { fetchPage } from "./fetch-page.js";
import { isTooMuch } from "./is-too-much.js";
import type { SentPage } from "./listing.js";
import type { OpenListing } from "./open-listing.js";
import { isShort } from "./page-end.js";
import { smallerPaging } from "./paging.js";
import { type PlannedPage, splitPage } from "./plan-pages.js";

/** Fetches a page; in several smaller ones if it is too much for the service. */
export async function fetchRange<T>(
  listing: OpenListing<T>,
  planned: PlannedPage,
  signal: AbortSignal,
): Promise<readonly SentPage<T>[]> {
  try {
    const page = await fetchPage(listing, planned, signal);
    // A page that is short without being the last may be a slip of the service: it is asked for twice.
    return [isShort(page) ? await fetchPage(listing, planned, signal) : page];
  } catch (error) {
    const smaller = isTooMuch(error) ? smallerPaging({ ...listing.paging, pageSize: planned.pageSize }) : undefined;
    if (smaller?.pageSize === undefined) throw error;
    const pages: SentPage<T>[] = [];
    for (const part of splitPage(planned, smaller.pageSize)) pages.push(...(await fetchRange(listing, part, signal)));
    return pages;
  }
}
