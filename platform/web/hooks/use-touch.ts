// True if the pointer is a finger: then targets are larger, and sheets replace popovers.
import { useMediaQuery } from '@mantine/hooks';

export function useTouch(): boolean {
  return useMediaQuery('(hover: none) and (pointer: coarse)', false) ?? false;
}
