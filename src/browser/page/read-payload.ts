// Reads the data of a frame: JSON, plain or deflated in base64.
export async function readFacts<Facts>(): Promise<Facts> {
  const { type, textContent } = document.getElementById("facts") as HTMLScriptElement;
  const text = textContent as string;
  if (type === "application/json") return JSON.parse(text) as Facts;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(plain).text()) as Facts;
}
