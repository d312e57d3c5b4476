// Shown while a screen's code or data is loading.
import { Skeleton } from '@mantine/core';
import { LoadingState } from './states.tsx';

export function ScreenSkeleton() {
  return (
    <LoadingState>
      <Skeleton height={32} width={220} mb={28} />
      <Skeleton height={36} mb={12} />
      <Skeleton height={36} mb={12} />
      <Skeleton height={36} width="92%" mb={12} />
      <Skeleton height={36} width="86%" />
    </LoadingState>
  );
}
