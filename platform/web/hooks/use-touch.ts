// True if the pointer is a finger, which gets larger targets, and sheets instead of popovers.
import { useMediaQuery } from '@mantine/hooks';

export function useTouch(): boolean {
  return useMediaQuery('(hover: none) and (pointer: coarse)', false) ?? false;
}
