// How many copies are accepted per second: what some half a second says, and where it falls, for a few
// seconds more what it was. A short stall must not make the next steps smaller, and so the stall longer.
const SLICE_MS = 100;
const SHARE = 0.25;
const HELD_PER_SECOND = 0.8;

export class RateMeter {
  private rate = 0;
  private held = 0;
  private counted = 0;
  private since = performance.now();

  count(): void {
    this.counted++;
  }

  perSecond(): number {
    const now = performance.now();
    const passed = now - this.since;
    if (passed >= SLICE_MS) {
      const share = 1 - (1 - SHARE) ** (passed / SLICE_MS);
      this.rate += share * ((this.counted * 1_000) / passed - this.rate);
      this.held = Math.max(this.rate, this.held * HELD_PER_SECOND ** (passed / 1_000));
      this.counted = 0;
      this.since = now;
    }
    return this.held;
  }
}
