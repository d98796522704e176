import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { AwsV4Signer } from "aws4fetch";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";

/** A request for a file that lies elsewhere. */
export interface RemoteRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** Where the files of a snapshot are asked for. */
export interface RemoteAddress {
  /** As it was given, without a trailing slash. It holds neither key nor password. */
  readonly text: string;
  /** The request for a file, by its path below the snapshot's folder. */
  readonly request: (path: string) => Promise<RemoteRequest>;
  /** What to do where the server does not let the reader in. */
  readonly refusedHint: string;
}

/** Whether a path is an address: `https://…`, `s3://…`. */
export function isAddress(path: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(path);
}

/**
 * What is asked for files at an address.
 *
 * @param headers sent with each request over HTTP
 * @throws ArgumentError for an address of another kind, or with a password, query or fragment
 */
export function resolveAddress(text: string, headers: Readonly<Record<string, string>> = {}): RemoteAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw refuse("The snapshot's address is not a URL.");
  // The text is not repeated where it may hold a password.
  if (url.username || url.password) {
    throw refuse("The snapshot's address holds a user name or password.", "Give headers: { authorization: … }.");
  }
  if (url.search || url.hash) {
    throw refuse(
      "The snapshot's address holds a query or fragment.",
      "Give that of the folder: a signature in a query is that of one file.",
    );
  }
  if (url.protocol === "s3:") return s3Address(url, Object.keys(headers));
  if (url.protocol === "https:" || url.protocol === "http:") return httpAddress(url, headers);
  throw refuse(`The snapshot's address is ${showValue(url.protocol)}, not https:, http: or s3:.`);
}

function refuse(message: string, hint = "Give https://example.com/acme.snapshot or s3://bucket/acme.snapshot.") {
  return new ArgumentError(`openSnapshot(): ${message}`, { hint });
}

function httpAddress(url: URL, headers: Readonly<Record<string, string>>): RemoteAddress {
  const folder = url.href.replace(/\/+$/, "");
  return {
    text: folder,
    request: async (path) => ({ url: new URL(`${folder}/${path}`), headers }),
    refusedHint: "Give what lets you in as the option headers, for example { authorization: … }.",
  };
}

/** Virtual hosts have the bucket in their name, which certificates do not fit where it has dots. */
function s3Address(url: URL, headers: readonly string[]): RemoteAddress {
  if (headers.length > 0) {
    throw refuse(`headers are not sent to S3 (${headers.join(", ")}).`, "Credentials come from the environment.");
  }
  const { env } = process;
  const bucket = decodeURIComponent(url.host);
  if (!/^[a-z0-9][a-z0-9.-]+[a-z0-9]$/.test(bucket)) {
    throw refuse(`${showValue(bucket)} is no name of a bucket.`);
  }
  const prefix = url.pathname.replace(/\/+$/, "");
  const region = env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || "us-east-1";
  const endpoint = env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"];
  const host = bucket.includes(".")
    ? `https://s3.${region}.amazonaws.com/${bucket}`
    : `https://${bucket}.s3.${region}.amazonaws.com`;
  const folder = `${endpoint ? `${endpoint.replace(/\/+$/, "")}/${bucket}` : host}${prefix}`;
  let provider: Promise<CredentialProvider> | undefined;
  return {
    text: `s3://${bucket}${prefix}`,
    async request(path) {
      provider ??= findCredentials();
      const credentials = await (await provider)();
      const place = new URL(`${folder}/${path}`);
      if (!credentials) return { url: place, headers: {} };
      const { sessionToken, ...keys } = credentials;
      const signer = new AwsV4Signer({
        ...keys,
        ...(sessionToken ? { sessionToken } : {}),
        url: place.href,
        service: "s3",
        region,
      });
      const signed = await signer.sign();
      return { url: signed.url, headers: Object.fromEntries(signed.headers) };
    },
    refusedHint: `Check the credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN) and that the bucket is in the region ${region} (AWS_REGION).`,
  };
}

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Gives what requests are signed with, anew where it runs out; undefined where they are not signed. */
type CredentialProvider = () => Promise<Credentials | undefined>;

/** AWS's own chain of providers: profiles, single sign-on, roles of machines. Who signs in so has it installed. */
const PROVIDERS = "@aws-sdk/credential-provider-node";

async function findCredentials(): Promise<CredentialProvider> {
  const { env } = process;
  const [accessKeyId, secretAccessKey] = [env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"]];
  if (accessKeyId && secretAccessKey) {
    const sessionToken = env["AWS_SESSION_TOKEN"];
    return async () => ({ accessKeyId, secretAccessKey, sessionToken });
  }
  const chain = await loadProviders();
  if (chain) return chain;
  const files = env["AWS_SHARED_CREDENTIALS_FILE"] || join(homedir(), ".aws", "credentials");
  if (!env["AWS_PROFILE"] && !existsSync(files)) return async () => undefined;
  throw refuse(
    `profiles of AWS need ${PROVIDERS}, which is not installed.`,
    `npm install ${PROVIDERS}, or set the variables that aws configure export-credentials --format env prints.`,
  );
}

async function loadProviders(): Promise<CredentialProvider | undefined> {
  try {
    const found = (await import(PROVIDERS)) as { readonly defaultProvider: () => CredentialProvider };
    return found.defaultProvider();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
