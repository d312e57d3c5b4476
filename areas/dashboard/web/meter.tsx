// A share against its limits: a bar whose colour has words beside it.
import classes from './dashboard.module.css';

export type Level = 'good' | 'amber' | 'red';

/** `amber` and `red` are the shares from which it is so. */
export function levelOf(share: number, amber: number, red: number): Level {
  if (share >= red) return 'red';
  return share >= amber ? 'amber' : 'good';
}

interface MeterProps {
  label: string;
  /** What is filled, of 1. */
  share: number;
  level: Level;
  /** The figure in words. */
  text: string;
  /** How it stands, in words. */
  state?: string;
}

export function Meter({ label, share, level, text, state }: MeterProps) {
  const filled = Math.min(100, Math.max(0, share * 100));
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
        aria-valuenow={Math.round(filled)}
        aria-valuetext={state ? `${text}. ${state}` : text}
      >
        <div className={classes.fill} data-level={level} style={{ inlineSize: `${filled}%` }} />
      </div>
      {state && (
        <p className={classes.meterState} data-level={level}>
          {state}
        </p>
      )}
    </div>
  );
}
