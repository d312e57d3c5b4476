// Measures how many copies per second a relay accepts while it is busy. Idle time does not lower
// the rate; otherwise a delay in this process would shrink the next steps and so prolong itself.
const SLICE_MS = 100;
/** Weight of a fully busy slice in the smoothed rate. */
const SMOOTHING = 0.25;
/** The rate is not updated before this much busy time was measured. */
const MIN_BUSY_MS = 10;

export class RateMeter {
  private rate = 0;
  private counted = 0;
  private since = performance.now();
  private spent = 0;
  private busySince: number | undefined;

  count(): void {
    this.counted++;
  }

  /** Records that the relay becomes busy or idle. */
  busy(isBusy: boolean): void {
    if (isBusy === (this.busySince !== undefined)) return;
    const now = performance.now();
    if (isBusy) this.busySince = now;
    else if (this.busySince !== undefined) {
      this.spent += now - this.busySince;
      this.busySince = undefined;
    }
  }

  perSecond(): number {
    const now = performance.now();
    if (now - this.since < SLICE_MS) return this.rate;
    if (this.busySince !== undefined) {
      this.spent += now - this.busySince;
      this.busySince = now;
    }
    if (this.spent < MIN_BUSY_MS) return this.rate;
    const weight = 1 - (1 - SMOOTHING) ** (this.spent / SLICE_MS);
    this.rate += weight * ((this.counted * 1_000) / this.spent - this.rate);
    this.counted = 0;
    this.spent = 0;
    this.since = now;
    return this.rate;
  }
}
