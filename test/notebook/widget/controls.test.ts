import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Control, dateInput, select, slider } from "../../../src/notebook/widget/index.js";
import { html } from "../../../src/tables/display/markup-tags.js";
import { displaySymbol } from "../../../src/tables/display/mime-bundle.js";
import { FakeKernel } from "./fake-kernel.js";

const dates = ["2026-01-01", "2026-02-01", "2026-03-01"];

describe("a control in a kernel", () => {
  let kernel: FakeKernel;
  beforeEach(() => {
    kernel = new FakeKernel();
  });
  afterEach(() => kernel.close());

  async function shown(control: Control<never> | Control<string> | Control<number>): Promise<string> {
    await control[displaySymbol]();
    return kernel.sent.find(({ type }) => type === "open")?.id ?? "";
  }
  const choose = (id: string, at: unknown) => kernel.say(id, { method: "update", state: { at }, buffer_paths: [] });
  const state = () => kernel.sent.find(({ type }) => type === "open")?.data["state"];
  const pages = (id: string) =>
    kernel
      .messages(id)
      .flatMap(({ state }) => (Object(state).html === undefined ? [] : [Object(state).html as string]));

  test("contains the result for its first value, and runs its function for each chosen value", async () => {
    const ran: string[] = [];
    const control = slider({ dates }, (date) => {
      ran.push(date);
      return html`<b>${date}</b>`;
    });
    const id = await shown(control);
    expect(state()).toMatchObject({ kind: "slider", texts: dates, at: 2, label: "Date", busy: false });
    expect(state()).toMatchObject({ html: expect.stringContaining("<b>2026-03-01</b>") });
    await choose(id, 0);
    expect(control.value).toBe("2026-01-01");
    expect(ran).toEqual(["2026-03-01", "2026-01-01"]);
    expect(pages(id)).toEqual([expect.stringContaining("<b>2026-01-01</b>")]);
  });

  test("computes only the last value that arrives while its function runs", async () => {
    const ran: number[] = [];
    const control = slider({ min: 0, max: 100 }, async (value) => {
      ran.push(value);
      await new Promise((done) => setTimeout(done, 10));
      return value;
    });
    const id = await shown(control);
    await Promise.all([1, 2, 3, 4, 50].map((value) => choose(id, value)));
    expect(ran).toEqual([0, 1, 50]);
    expect(control.value).toBe(50);
    expect(pages(id).map((page) => page.replace(/<[^>]*>/g, ""))).toEqual(["1", "50"]);
  });

  test("shows errors as text, and continues", async () => {
    const control = select({ options: ["a", "<b>", "c"] }, (option) => {
      if (option === "<b>") throw new Error("no <b>");
      return option;
    });
    const id = await shown(control);
    await choose(id, 1);
    await choose(id, 2);
    expect(pages(id)[0]).toContain("Error: no &lt;b&gt;");
    expect(pages(id)[1]).toContain("c");
  });

  test.each([3, -1, 1.5, "1", null, "length"])("ignores the invalid place %j", async (at) => {
    const control = slider({ dates }, (date) => date);
    const id = await shown(control);
    await choose(id, at);
    expect(control.value).toBe("2026-03-01");
    expect(pages(id)).toEqual([]);
  });

  test("answers its tables", async () => {
    const messages: unknown[] = [];
    const tables = {
      keep: () => "t",
      take: (message: unknown) => {
        messages.push(message);
        return Object(message).type === "hello" ? { type: "hello" } : undefined;
      },
    };
    Object.assign(kernel, { tables });
    const id = await shown(slider({ min: 0, max: 3 }, (value) => value));
    const before = kernel.messages(id).length;
    const send = (table: unknown) => kernel.say(id, { method: "custom", content: { table, page: "p", frame: 3 } });
    await send({ type: "hello" });
    await send({ type: "none" });
    await send(undefined);
    expect(messages).toEqual([{ type: "hello" }, { type: "none" }, undefined]);
    expect(kernel.messages(id).slice(before)).toEqual([
      { method: "custom", content: { table: { type: "hello" }, page: "p", frame: 3 } },
    ]);
  });

  test("can be set by the kernel, and updates the page", async () => {
    const control = dateInput({ value: "2026-01-31", max: "2026-12-31" }, (date) => `on ${date}`);
    const id = await shown(control);
    await control.set("2026-02-28");
    expect(kernel.messages(id)[0]).toMatchObject({ method: "update", state: { at: "2026-02-28" } });
    expect(pages(id)).toEqual([expect.stringContaining("on 2026-02-28")]);
    await expect(control.set("2027-01-01")).rejects.toThrow('dateInput(): unknown value "2027-01-01".');
    expect(control.value).toBe("2026-02-28");
  });
});

describe("a control in a script", () => {
  test("shows its first value and the result, without interaction", async () => {
    const control = slider({ dates: [new Date("2026-05-01"), new Date("2026-05-02T12:00:00Z")] }, (date) =>
      date.getTime(),
    );
    const bundle = await control[displaySymbol]();
    expect(Object.keys(bundle)).toEqual(["text/html", "text/plain"]);
    expect(bundle["text/plain"]).toMatch(/^Date: 2026-05-02T12:00:00\.000Z\n1777723200000\nStatic view: /);
    await control.set(new Date("2026-05-01"));
    expect(control.value.getTime()).toBe(Date.UTC(2026, 4, 1));
    expect((await control[displaySymbol]())["text/plain"]).toMatch(/^Date: 2026-05-01\n/);
  });

  test("throws errors of its function when it is shown", async () => {
    const failing = select({ options: [1] }, () => {
      throw new Error("no luck");
    });
    await expect(failing[displaySymbol]()).rejects.toThrow("no luck");
  });
});

describe("controls reject", () => {
  const nothing = () => undefined;
  test.each([
    ["empty dates", () => slider({ dates: [] }, nothing), "slider(): the list of values is empty."],
    ["neither dates nor numbers", () => slider({} as never, nothing), "slider() needs dates, or min and max."],
    ["a range that ends before it begins", () => slider({ min: 2, max: 1 }, nothing), "min 2 must be below max 1"],
    ["a value out of range", () => slider({ min: 0, max: 1, value: 2 }, nothing), "value 2 is not between 0 and 1"],
    ["a step of 0", () => slider({ min: 0, max: 1, step: 0 }, nothing), "step must be a number above 0, but got 0"],
    ["an unlisted date", () => slider({ dates, value: "2026" }, nothing), 'value "2026" is not in the list'],
    ["dates and numbers", () => slider({ dates, min: 0 } as never, nothing), 'slider() has no option "min".'],
    ["a missing function", () => slider({ dates }, undefined as never), "slider() needs a function, got undefined."],
    ["missing options", () => select({} as never, nothing), "select(): options must be an array, got undefined."],
    ["an invalid day", () => dateInput({ value: "2026-02-30" }, nothing), 'value must be a date such as "2026-01-31"'],
    ["a missing day", () => dateInput({} as never, nothing), "dateInput(): value is missing."],
    [
      "a day out of range",
      () => dateInput({ value: "2026-01-01", min: "2026-02-01" }, nothing),
      'value "2026-01-01" is not a date in the range 2026-02-01 to …',
    ],
  ])("%s", (_, make, message) => {
    expect(make).toThrow(message);
  });
});
