/** Rows of a short query, for scripts that run before anything is built. */
export async function askTrino(server, sql) {
  const headers = { "x-trino-user": "siteframe" };
  const rows = [];
  let response = await fetch(`${server}/v1/statement`, { method: "POST", body: sql, headers });
  for (;;) {
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    const { data = [], error, nextUri } = await response.json();
    if (error) throw new Error(error.message);
    rows.push(...data);
    if (!nextUri) return rows;
    response = await fetch(nextUri, { headers });
  }
}
