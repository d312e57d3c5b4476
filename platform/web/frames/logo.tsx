// The logo: an S of two threads that cross over and under each other.

export function LogoMark({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden="true">
      <path
        d="M24 8.5C21.5 5.6 10 4.6 10 11c0 6.2 12.5 4.2 12.5 10.4 0 6-10.6 5.6-14 2.2"
        stroke="var(--primary)"
        strokeWidth="3.2"
        strokeLinecap="round"
      />
      <path
        d="M22.4 4.9C15 2.6 5.6 5.8 6 12.2c.4 6.6 12 5 12.2 10"
        stroke="var(--accent)"
        strokeWidth="3.2"
        strokeLinecap="round"
      />
    </svg>
  );
}
