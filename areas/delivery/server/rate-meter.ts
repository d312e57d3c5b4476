// How many copies were accepted per second of late, over some half a second.
const SLICE_MS = 100;
const SHARE = 0.25;

export class RateMeter {
  private rate = 0;
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
      this.counted = 0;
      this.since = now;
    }
    return this.rate;
  }
}
