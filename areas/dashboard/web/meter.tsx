// A rate compared with its limits: a bar with its color also stated in words.
import classes from './dashboard.module.css';

export type MeterLevel = 'good' | 'amber' | 'red';

/** Returns the level of a share; `amber` and `red` are the lowest shares of their levels. */
export function meterLevel(share: number, amber: number, red: number): MeterLevel {
  if (share >= red) return 'red';
  return share >= amber ? 'amber' : 'good';
}

interface MeterProps {
  label: string;
  /** The filled fraction, from 0 to 1. */
  fraction: number;
  level: MeterLevel;
  /** The value as text. */
  text: string;
  /** The state as text. */
  state?: string;
}

export function Meter({ label, fraction, level, text, state }: MeterProps) {
  const filledPercent = Math.min(100, Math.max(0, fraction * 100));
  return (
    <div className={classes.meter}>
      <div className={classes.meterHead}>
        <span>{label}</span>
        <span className={classes.meterText}>{text}</span>
      </div>
      <div
        className={classes.track}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(filledPercent)}
        aria-valuetext={state ? `${text}. ${state}` : text}
      >
        <div
          className={classes.fill}
          data-level={level}
          style={{ inlineSize: `${filledPercent}%` }}
        />
      </div>
      {state && (
        <p className={classes.meterState} data-level={level}>
          {state}
        </p>
      )}
    </div>
  );
}
