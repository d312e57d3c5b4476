// Measures how many copies per second a relay accepts while it is busy. Idle time does not lower
// the rate; otherwise a delay in this process would shrink the next steps and so prolong itself.
const SLICE_MS = 100;
/** Weight of a fully busy slice in the smoothed rate. */
const SMOOTHING = 0.25;
/** The rate is not updated before this much busy time was measured. */
const MIN_BUSY_MS = 10;

export class RateMeter {
  private rate = 0;
  private acceptedCount = 0;
  private measuredSince = performance.now();
  private busyMs = 0;
  private busySince: number | undefined;

  count(): void {
    this.acceptedCount++;
  }

  /** Records that the relay becomes busy or idle. */
  setBusy(isBusy: boolean): void {
    if (isBusy === (this.busySince !== undefined)) return;
    const now = performance.now();
    if (isBusy) this.busySince = now;
    else if (this.busySince !== undefined) {
      this.busyMs += now - this.busySince;
      this.busySince = undefined;
    }
  }

  perSecond(): number {
    const now = performance.now();
    if (now - this.measuredSince < SLICE_MS) return this.rate;
    if (this.busySince !== undefined) {
      this.busyMs += now - this.busySince;
      this.busySince = now;
    }
    if (this.busyMs < MIN_BUSY_MS) return this.rate;
    const weight = 1 - (1 - SMOOTHING) ** (this.busyMs / SLICE_MS);
    this.rate += weight * ((this.acceptedCount * 1_000) / this.busyMs - this.rate);
    this.acceptedCount = 0;
    this.busyMs = 0;
    this.measuredSince = now;
    return this.rate;
  }
}
