// How many copies a second the relay takes when it has them: answers over the time in which it was
// busy. What this process itself is late with does not make it smaller, else a slow
// moment would make the next steps smaller, and so itself longer.
const SLICE_MS = 100;
const SHARE = 0.25;
/** A slice with less of it says nothing yet. */
const LEAST_BUSY_MS = 10;

export class RateMeter {
  private rate = 0;
  private counted = 0;
  private since = performance.now();
  private spent = 0;
  private busySince: number | undefined;

  /** One was accepted. */
  count(): void {
    this.counted++;
  }

  /** The relay is busy from now on, or no longer. */
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
    if (this.spent < LEAST_BUSY_MS) return this.rate;
    const share = 1 - (1 - SHARE) ** (this.spent / SLICE_MS);
    this.rate += share * ((this.counted * 1_000) / this.spent - this.rate);
    this.counted = 0;
    this.spent = 0;
    this.since = now;
    return this.rate;
  }
}
