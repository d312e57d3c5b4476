// The field for a day of the Persian calendar, loaded for users of Persian only.
import { Suspense } from 'react';
import { lazyWithRetry } from '../shell/lazy-with-retry.ts';
import type { PersianDayFieldProps } from './persian-day-field.tsx';

const Field = lazyWithRetry(() => import('./persian-day-field.tsx'));

export function PersianDay(props: PersianDayFieldProps) {
  return (
    <Suspense fallback={null}>
      <Field {...props} />
    </Suspense>
  );
}
