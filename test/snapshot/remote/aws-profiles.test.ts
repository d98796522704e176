import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { fromRecords, type OpenSnapshotOptions, openSnapshot, pull, type Snapshot } from "../../../src/index.js";
import { findPython, type Python } from "../../support/python.js";
import { BUCKET_REGION, type ServedBucket, serveBucket } from "../../support/serve-bucket.js";
import { feature } from "../feature.js";
import { site } from "../moving-service.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const python = findPython("awscli, boto3, moto.server");
const PROVIDERS = "@aws-sdk/credential-provider-node";
const providers = join(import.meta.dirname, "../../../.cache/aws/node_modules", PROVIDERS, "dist-cjs/index.js");
const hasProviders = existsSync(providers);
if (!hasProviders) {
  const reason = `.cache/aws has no ${PROVIDERS}. Run .ci/full s3`;
  if (process.env["SITEFRAME_REQUIRE_ALL"]) throw new Error(reason);
  process.stderr.write(`skipped: ${reason}\n`);
}

describe.skipIf(!(python && hasProviders))("profiles of AWS", () => {
  let bucket: ServedBucket;
  let caches = 0;
  const opened: Snapshot[] = [];
  const open = async (): Promise<Snapshot> => {
    const snapshot = await openSnapshot("s3://acme-data/past (2)/acme+.snapshot", {
      cacheDirectory: join(folder, `cache-${++caches}`),
    });
    opened.push(snapshot);
    return snapshot;
  };

  beforeAll(async () => {
    // As it is found where it is installed beside Siteframe.
    vi.doMock(PROVIDERS, () => import(providers));
    bucket = await serveBucket(python as Python, "acme-data");
    const readAt = new Date("2025-02-01T00:00:00Z");
    const records = { sites: [site(7)], layerFeatures: [feature(1, { STATUS: "OPEN" }, 7)] };
    await pull(fromRecords(records, { readAt }), join(folder, "acme.snapshot"), {
      showProgress: false,
      now: () => readAt,
    });
    await bucket.run("aws s3 cp --recursive acme.snapshot 's3://acme-data/past (2)/acme+.snapshot'", folder);
    const keys = `aws_access_key_id = ${bucket.accessKeyId}\naws_secret_access_key = ${bucket.secretAccessKey}\n`;
    writeFileSync(
      join(folder, "credentials"),
      `[acme]\n${keys}\n[other]\naws_access_key_id = AKIA0\naws_secret_access_key = 0\n`,
    );
    const place = `region = ${BUCKET_REGION}\nendpoint_url = ${bucket.url}\n`;
    const token = { Version: 1, AccessKeyId: bucket.accessKeyId, SecretAccessKey: bucket.secretAccessKey };
    writeFileSync(join(folder, "token.json"), JSON.stringify(token));
    writeFileSync(
      join(folder, "config"),
      `[default]\nregion = us-west-2\n\n[profile acme]\n${place}\n[profile other]\n${place}
[profile of-process]\n${place}credential_process = cat ${join(folder, "token.json")}
[profile of-role]\n${place}sso_session = acme\nsso_account_id = 1\nsso_role_name = reader
[sso-session acme]\nsso_start_url = https://acme.invalid/start\nsso_region = eu-west-1\n`,
    );
  });
  afterAll(async () => {
    vi.doUnmock(PROVIDERS);
    await bucket[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    for (const name of Object.keys(process.env).filter((key) => key.startsWith("AWS_"))) vi.stubEnv(name, undefined);
    vi.stubEnv("HOME", folder);
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(folder, "credentials"));
    vi.stubEnv("AWS_CONFIG_FILE", join(folder, "config"));
    // No machine of Amazon's is asked.
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    bucket.requests.length = 0;
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    for (const snapshot of opened.splice(0)) await snapshot.close();
  });

  it.each(["acme", "of-process"])("sign requests with the region and address of the profile: %s", async (profile) => {
    vi.stubEnv("AWS_PROFILE", profile);
    const snapshot = await open();
    const layer = await snapshot.layer({ semantic_type: "TRENCHES" });
    expect(layer.table.array("STATUS")).toEqual(["OPEN"]);
    expect(bucket.requests.length).toBeGreaterThan(1);
    for (const { isSigned, status } of bucket.requests)
      expect({ isSigned, status }).toEqual({ isSigned: true, status: 200 });
  });

  it("are overridden by a region and an address of the environment", async () => {
    vi.stubEnv("AWS_PROFILE", "acme");
    vi.stubEnv("AWS_ENDPOINT_URL", "http://127.0.0.1:9");
    const options: OpenSnapshotOptions = { cacheDirectory: join(folder, "none"), retries: 0 };
    await expect(openSnapshot("s3://acme-data/acme.snapshot", options)).rejects.toMatchObject({ code: "ERR_NETWORK" });
    expect(bucket.requests).toEqual([]);
  });

  it("are refused by a store without their key", async () => {
    vi.stubEnv("AWS_PROFILE", "other");
    await expect(open()).rejects.toMatchObject({ status: 403, hint: expect.stringContaining(BUCKET_REGION) });
  });

  it("without credentials cause an error with their name", async () => {
    vi.stubEnv("AWS_PROFILE", "none");
    vi.stubEnv("AWS_ENDPOINT_URL", bucket.url);
    await expect(open()).rejects.toMatchObject({
      code: "ERR_ARGUMENT",
      message: 'openSnapshot(): no AWS credentials found for "none".',
      hint: expect.stringContaining("aws configure list-profiles"),
    });
    vi.stubEnv("AWS_PROFILE", "of-role");
    await expect(open()).rejects.toMatchObject({
      code: "ERR_ARGUMENT",
      hint: expect.stringContaining("aws sso login"),
    });
    expect(bucket.requests).toEqual([]);
  });

  it("are optional: requests without credentials are not signed", async () => {
    vi.stubEnv("AWS_ENDPOINT_URL", bucket.url);
    await expect(open()).rejects.toMatchObject({ status: 403 });
    expect(bucket.requests.map(({ isSigned }) => isSigned)).toEqual([false]);
  });
});
