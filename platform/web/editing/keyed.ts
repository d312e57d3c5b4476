// Keys for lists whose items have no id of their own.

/** Pairs each item with a key: its name and its index among identical names. */
export function keyed<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
): [key: string, item: Item][] {
  const seen = new Map<string, number>();
  return items.map((item) => {
    const name = nameOf(item);
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    return [`${name} ${nth}`, item];
  });
}
