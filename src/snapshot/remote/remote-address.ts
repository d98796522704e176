import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { AwsV4Signer } from "aws4fetch";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";

/** A request for a remote file. */
export interface RemoteRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** Address of a remote snapshot. */
export interface RemoteAddress {
  /** The given address without a trailing slash. Contains neither key nor password. */
  readonly text: string;
  /** Returns the request for a file, by its path below the snapshot folder. */
  readonly request: (path: string) => Promise<RemoteRequest>;
  /** Hint if the server denies access. */
  readonly refusedHint: string;
}

/**
 * Returns the requests for the files at an address.
 *
 * @param headers sent with each request over HTTP
 * @throws ArgumentError for an unsupported address, or one with a password, query or fragment
 */
export function resolveAddress(text: string, headers: Readonly<Record<string, string>> = {}): RemoteAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw refuse("the address is not a URL.");
  // The message does not repeat the address, which may contain a password.
  if (url.username || url.password) {
    throw refuse("the address contains a user name or password.", "Pass { headers: { authorization: … } }.");
  }
  if (url.search || url.hash) {
    throw refuse(
      "the address contains a query or fragment.",
      "Pass the address of the folder. A signature in a query is valid for one file only.",
    );
  }
  if (url.protocol === "s3:") return s3Address(url, Object.keys(headers));
  if (url.protocol === "https:" || url.protocol === "http:") return httpAddress(url, headers);
  throw refuse(`unsupported protocol ${showValue(url.protocol)}.`);
}

function refuse(message: string, hint = "Pass https://example.com/acme.snapshot or s3://bucket/acme.snapshot.") {
  return new ArgumentError(`openSnapshot(): ${message}`, { hint });
}

function httpAddress(url: URL, headers: Readonly<Record<string, string>>): RemoteAddress {
  const folder = url.href.replace(/\/+$/, "");
  return {
    text: folder,
    request: async (path) => ({ url: new URL(`${folder}/${path}`), headers }),
    refusedHint: "Pass the credentials: { headers: { authorization: … } }.",
  };
}

/** Path-style address if the bucket name has dots, which do not match the certificates of virtual hosts. */
function s3Address(url: URL, headers: readonly string[]): RemoteAddress {
  if (headers.length > 0) {
    throw refuse(
      `the option headers does not work with S3 (${headers.join(", ")}).`,
      "Remove it, and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
    );
  }
  const { env } = process;
  const bucket = decoded(url.host);
  if (!/^[a-z0-9][a-z0-9.-]+[a-z0-9]$/.test(bucket)) {
    throw refuse(`invalid bucket name ${showValue(bucket)}.`);
  }
  const prefix = decoded(url.pathname.replace(/\/+$/, ""));
  const profile = profileSettings();
  const region = env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || profile.get("region") || "us-east-1";
  const endpoint = env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"] || profile.get("endpoint_url");
  const host = bucket.includes(".")
    ? `https://s3.${region}.amazonaws.com/${bucket}`
    : `https://${bucket}.s3.${region}.amazonaws.com`;
  const address = endpoint ? `${endpoint.replace(/\/+$/, "")}/${bucket}` : host;
  let provider: Promise<CredentialProvider> | undefined;
  return {
    text: `s3://${bucket}${url.pathname.replace(/\/+$/, "")}`,
    async request(path) {
      provider ??= findCredentials();
      const credentials = await (await provider)();
      const object = new URL(`${address}${signedPath(`${prefix}/${path}`)}`);
      if (!credentials) return { url: object, headers: {} };
      const { sessionToken, ...keys } = credentials;
      const signer = new AwsV4Signer({
        ...keys,
        ...(sessionToken ? { sessionToken } : {}),
        url: object.href,
        service: "s3",
        region,
      });
      const signed = await signer.sign();
      return { url: signed.url, headers: Object.fromEntries(signed.headers) };
    },
    refusedHint: `Check the credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN) and that the bucket is in the region ${region} (AWS_REGION).`,
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw refuse(`${showValue(part)} has an invalid % escape.`, "Write %25 for a percent sign.");
  }
}

/** A path in the form of signatures: some stores compare it exactly, for example `=`. */
function signedPath(path: string): string {
  const encode = (part: string) =>
    encodeURIComponent(part).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return path.split("/").map(encode).join("/");
}

/** Settings of the current profile in the file of `aws configure`. */
function profileSettings(): ReadonlyMap<string, string> {
  const file = process.env["AWS_CONFIG_FILE"] || join(homedir(), ".aws", "config");
  const settings = new Map<string, string>();
  if (!existsSync(file)) return settings;
  const profile = process.env["AWS_PROFILE"] || "default";
  let section: string | undefined;
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const [, header] = /^\[\s*(?:profile\s+)?(.+?)\s*\]/.exec(line) ?? [];
    const [, name, value] = /^(\w+)\s*=\s*(.*?)\s*(?:\s[#;].*)?$/.exec(line) ?? [];
    if (header) section = header.replace(/^(["'])(.*)\1$/, "$2");
    else if (section === profile && name && value) settings.set(name, value);
  }
  return settings;
}

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Returns the credentials for signing, renewed when they expire; undefined for unsigned requests. */
type CredentialProvider = () => Promise<Credentials | undefined>;

/** AWS's own chain of providers: profiles, single sign-on, roles of machines. Installed by users who need them. */
const PROVIDERS = "@aws-sdk/credential-provider-node";

async function findCredentials(): Promise<CredentialProvider> {
  const { env } = process;
  const [accessKeyId, secretAccessKey] = [env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"]];
  if (accessKeyId && secretAccessKey) {
    const sessionToken = env["AWS_SESSION_TOKEN"];
    return async () => ({ accessKeyId, secretAccessKey, sessionToken });
  }
  const chain = await loadProviders();
  if (chain) return orUnsigned(chain);
  const files = env["AWS_SHARED_CREDENTIALS_FILE"] || join(homedir(), ".aws", "credentials");
  if (!env["AWS_PROFILE"] && !existsSync(files)) return async () => undefined;
  throw refuse(
    `the package ${PROVIDERS} is missing, which AWS profiles need.`,
    `Run npm install ${PROVIDERS}, or set the variables from aws configure export-credentials --format env.`,
  );
}

/** Message of AWS's chain if no provider has credentials; the error has no code. */
const NONE_FOUND = "Could not load credentials from any providers";

function orUnsigned(chain: CredentialProvider): CredentialProvider {
  let isUnsigned = false;
  return async () => {
    // The chain also queries the machine, which is slow without an answer.
    if (isUnsigned) return undefined;
    try {
      return await chain();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const profile = process.env["AWS_PROFILE"];
      isUnsigned = reason === NONE_FOUND && !profile;
      if (isUnsigned) return undefined;
      throw new ArgumentError(
        `openSnapshot(): no AWS credentials found${profile ? ` for ${showValue(profile)}` : ""}.`,
        {
          hint: reason === NONE_FOUND ? "Compare AWS_PROFILE with aws configure list-profiles." : reason,
          facts: { profile, reason },
          cause: error,
        },
      );
    }
  };
}

async function loadProviders(): Promise<CredentialProvider | undefined> {
  try {
    const module = (await import(PROVIDERS)) as { readonly defaultProvider: () => CredentialProvider };
    return module.defaultProvider();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
