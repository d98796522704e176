import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const text = readFileSync("CONTRIBUTING.md", "utf8");
const house: { order: readonly string[]; rooms: Readonly<Record<string, readonly string[]>> } = JSON.parse(
  readFileSync("scripts/house.json", "utf8"),
);
const { order, rooms } = house;

/** The rooms that the table of "Where things live" names, in its order, as folder/room. */
function namedRooms(): string[] {
  const named: string[] = [];
  let folder = "";
  for (const [, first = "", names = ""] of text.matchAll(/^\| (`src\/\w+`)? *\| ((?:`[\w/]+\/` ?)*)\|/gm)) {
    if (first) folder = first.slice("`src/".length, -1);
    for (const [, room = ""] of names.matchAll(/`([\w/]+)\/`/g)) named.push(`${folder}/${room}`);
  }
  return named;
}

function foldersBelow(path: string): string[] {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []));
}

describe("CONTRIBUTING", () => {
  it("names the folders in the order that is enforced", () => {
    expect(text).toContain(`**${order.join(" → ")}**`);
    expect(foldersBelow("src").sort()).toEqual([...order].sort());
  });

  it("says what each room is for, in the order that is enforced", () => {
    const enforced = Object.entries(rooms).flatMap(([folder, names]) => names.map((name) => `${folder}/${name}`));
    const leaves = enforced.filter((room) => !(room in rooms));
    const named = namedRooms();
    expect([...named].sort()).toEqual([...leaves].sort());
    for (const [folder, names] of Object.entries(rooms)) {
      const inTable = named.filter((room) => names.some((name) => room === `${folder}/${name}`));
      expect(inTable).toEqual(
        names.filter((name) => !(`${folder}/${name}` in rooms)).map((name) => `${folder}/${name}`),
      );
    }
  });

  it("has a place in the order for every room that there is", () => {
    for (const folder of order) {
      expect(foldersBelow(`src/${folder}`).sort(), folder).toEqual([...(rooms[folder] ?? [])].sort());
    }
  });

  it("sends nobody to a file that is not there", () => {
    const section = text.slice(text.indexOf("## Where a change goes"), text.indexOf("## House rules"));
    const requests = section.split("\n").filter((line) => line.startsWith("- **"));
    expect(requests).toHaveLength(10);
    for (const request of requests) {
      const files = [...request.matchAll(/`((?:src|test|bench|docs)\/[^`]+)`/g)].map(([, path = ""]) => path);
      expect(files.length, request).toBeGreaterThan(0);
      expect(
        files.filter((path) => !existsSync(path)),
        request,
      ).toEqual([]);
    }
  });
});
