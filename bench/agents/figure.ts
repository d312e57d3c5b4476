// A benchmark result and its limit.
export interface Measurement {
  name: string;
  value: number;
  unit: 'ms' | 'KB' | '%';
  max: number;
  /**
   * A duration in milliseconds to compare with, and the ratio of the measured duration to it;
   * undefined without a comparison.
   */
  baseline?: { value: number; ratio: number };
}
