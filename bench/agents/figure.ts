// A benchmark result and its limit.
export interface Measurement {
  name: string;
  value: number;
  unit: 'ms' | 'KB' | '%';
  max: number;
  /**
   * The value in milliseconds to compare with, and the ratio of both; undefined without a
   * comparison.
   */
  baseline?: { value: number; ratio: number };
}
