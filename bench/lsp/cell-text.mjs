/** A cell of a long notebook. Each uses names of the first cell, of the one before it and of one farther up. */
export function cellText(index) {
  const used = index === 0 ? [] : [...new Set([0, index - 1, Math.max(0, index - 7)])];
  return `const n${index} = [${used.map((each) => `table${each}.numRows()`).join(", ")}].reduce((a, b) => a + b, 0);
${index === 0 ? "let" : "const"} table${index} = aq.table({ a: [1, 2, 3], b: ["x", "y", n${index}.toFixed(1)] }).derive({ c: (d) => d.a * 2 });
function grow${index}(x: number) { return x + n${index}; }
const rows${index} = await Promise.resolve(table${index}.objects().map(() => grow${index}(1)));
for (const x of rows${index}) console.log(x.toFixed(2), new Map([[1, x]]).size);
`;
}
