// The data of a frame: JSON as it is, or deflated in base64.
globalThis.siteframeFacts = async () => {
  const { type, textContent } = document.getElementById("facts");
  if (type === "application/json") return JSON.parse(textContent);
  const bytes = Uint8Array.from(atob(textContent), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(plain).text());
};
