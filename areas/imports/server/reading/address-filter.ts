// Records the addresses that a file contains, in a few bytes each.

const ABSENT = 0;

/**
 * A table of 64-bit hashes with the first row of each address. For 1,000,000 addresses it takes 24
 * MB, and the probability of a collision is 3 in 100,000,000.
 */
export class SeenAddresses {
  private capacity = 1 << 12;
  private size = 0;
  private high = new Uint32Array(this.capacity);
  private low = new Uint32Array(this.capacity);
  private rows = new Uint32Array(this.capacity);

  /** Records the address for `row`; returns the earlier row with this address, or undefined. */
  add(address: string, row: number): number | undefined {
    if (this.size * 3 > this.capacity * 2) this.grow();
    const high = hash(address, 0x811c9dc5);
    const low = hash(address, 0x9747b28c);
    const slot = this.findSlot(high, low);
    const existingRow = this.rows[slot] as number;
    if (existingRow !== ABSENT) return existingRow;
    this.put(slot, high, low, row);
    this.size += 1;
    return undefined;
  }

  /** Returns the earlier row with this address; records nothing. */
  findRow(address: string): number | undefined {
    const row = this.rows[this.findSlot(hash(address, 0x811c9dc5), hash(address, 0x9747b28c))];
    return row === ABSENT ? undefined : row;
  }

  private findSlot(high: number, low: number): number {
    const mask = this.capacity - 1;
    let slot = (high ^ low) & mask;
    while (this.rows[slot] !== ABSENT && (this.high[slot] !== high || this.low[slot] !== low))
      slot = (slot + 1) & mask;
    return slot;
  }

  private put(slot: number, high: number, low: number, row: number): void {
    this.high[slot] = high;
    this.low[slot] = low;
    this.rows[slot] = row;
  }

  private grow(): void {
    const { high, low, rows } = this;
    this.capacity *= 2;
    this.high = new Uint32Array(this.capacity);
    this.low = new Uint32Array(this.capacity);
    this.rows = new Uint32Array(this.capacity);
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number;
      if (row === ABSENT) continue;
      const [h, l] = [high[i] as number, low[i] as number];
      this.put(this.findSlot(h, l), h, l, row);
    }
  }
}

/** Hashes UTF-16 units with MurmurHash3's mixing and final avalanche. */
function hash(text: string, seed: number): number {
  let h = seed;
  for (let i = 0; i < text.length; i++) {
    let k = Math.imul(text.charCodeAt(i), 0xcc9e2d51);
    k = (k << 15) | (k >>> 17);
    h ^= Math.imul(k, 0x1b873593);
    h = (h << 13) | (h >>> 19);
    h = (Math.imul(h, 5) + 0xe6546b64) | 0;
  }
  h ^= text.length;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
