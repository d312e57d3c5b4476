// The field for a number of rows or columns. A smaller number removes content, so typed input takes
// effect only on blur or Enter, but stepping takes effect immediately.
import { NumberInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { Row } from './field-parts.tsx';
import classes from './fields.module.css';

export function CountRow({
  label,
  value,
  max,
  onChange,
}: {
  label: string;
  value: number;
  max: number;
  onChange: (value: number) => void;
}) {
  const [typed, setTyped] = useState<number | string>(value);
  const lastValue = useRef(value);
  if (lastValue.current !== value) {
    lastValue.current = value;
    setTyped(value);
  }
  const applyCount = (next: number | string) => {
    const count = next === '' ? value : Math.min(max, Math.max(1, Math.round(Number(next))));
    setTyped(count);
    if (count !== value) onChange(count);
  };
  return (
    <Row label={label}>
      <NumberInput
        size="xs"
        classNames={{ input: classes.number }}
        aria-label={label}
        value={typed}
        min={1}
        max={max}
        decimalScale={0}
        allowNegative={false}
        onChange={setTyped}
        onValueChange={({ floatValue }, { source }) => {
          // TypeScript's type for `source` omits these two values.
          const change: string = source;
          const isStep = change === 'increment' || change === 'decrement';
          if (isStep && floatValue !== undefined) applyCount(floatValue);
        }}
        onBlur={() => applyCount(typed)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') applyCount(typed);
        }}
      />
    </Row>
  );
}
