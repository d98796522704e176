/** Runs work with a name once, and again only after a failure. */
export async function once<T>(done: Map<string, Promise<T>>, name: string, work: () => Promise<T>): Promise<T> {
  const under = done.get(name) ?? work();
  done.set(name, under);
  try {
    return await under;
  } catch (error) {
    done.delete(name);
    throw error;
  }
}
