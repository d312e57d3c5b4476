// Keys for lists of items without ids.

/** Pairs each item with a key: its name and its index among identical names. */
export function addKeys<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
): [key: string, item: Item][] {
  const counts = new Map<string, number>();
  return items.map((item) => {
    const name = nameOf(item);
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    return [`${name} ${nth}`, item];
  });
}
