// Reads the data of a frame: JSON, plain or deflated in base64.
export async function readPayload<Payload>(): Promise<Payload> {
  const { type, textContent } = document.getElementById("payload") as HTMLScriptElement;
  const text = textContent as string;
  if (type === "application/json") return JSON.parse(text) as Payload;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(plain).text()) as Payload;
}
