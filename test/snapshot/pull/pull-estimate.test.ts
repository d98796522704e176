import { describe, expect, it } from "vitest";
import { PullEstimate } from "../../../src/snapshot/pull/pull-estimate.js";

describe("PullEstimate", () => {
  it("counts features, then requests of 200 features for the log", () => {
    let now = 0;
    const estimate = new PullEstimate(1000, true, () => now);
    expect(estimate.toGo()).toBeUndefined();
    estimate.expectFeatures(1, 3000);
    estimate.expectFeatures(2, 1000);
    expect(estimate.toGo()).toEqual({ rows: 4000, requests: 4 + 20, ms: undefined });

    estimate.startFeatures();
    now = 500;
    estimate.tookFeatures(1, 1000, 3000);
    // Half a second a page, and as much for each request of the log.
    expect(estimate.toGo()).toEqual({ rows: 3000, requests: 3 + 20, ms: 1500 + 20 * 500 });
    now = 1500;
    estimate.tookFeatures(1, 3000, 3000);
    estimate.endFeatures(1);
    // The second site has more than was counted.
    now = 9000;
    estimate.startFeatures();
    now = 9500;
    estimate.tookFeatures(2, 1000, 2000);
    expect(estimate.toGo()).toEqual({ rows: 1000, requests: 1 + 25, ms: 500 + 25 * 500 });
    now = 10_000;
    estimate.tookFeatures(2, 2000, 2000);
    estimate.endFeatures(2);

    estimate.startLog(25);
    now = 11_000;
    estimate.tookLog(5, true);
    expect(estimate.toGo()).toEqual({ rows: 0, requests: 20, ms: 20 * 200 });
    now = 12_000;
    estimate.tookLog(20, true);
    expect(estimate.toGo()).toEqual({ rows: 0, requests: 0, ms: 0 });
  });

  it("counts no time for the steps of an interrupted pull", () => {
    let now = 0;
    const estimate = new PullEstimate(1000, true, () => now);
    estimate.expectFeatures(1, 2000);
    estimate.endFeatures(1);
    estimate.startLog(10);
    estimate.tookLog(4, false);
    expect(estimate.toGo()).toEqual({ rows: 0, requests: 6, ms: undefined });
    now = 300;
    estimate.tookLog(3, true);
    expect(estimate.toGo()).toEqual({ rows: 0, requests: 3, ms: 300 });
  });

  it("expects a hundredth of the log of a later pull", () => {
    const estimate = new PullEstimate(1000, false);
    estimate.expectFeatures(1, 40_000);
    expect(estimate.toGo()).toMatchObject({ rows: 40_000, requests: 42 });
  });
});
