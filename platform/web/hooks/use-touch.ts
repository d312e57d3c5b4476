// True on touch devices, where targets are larger and sheets replace popovers.
import { useMediaQuery } from '@mantine/hooks';

export function useTouch(): boolean {
  return useMediaQuery('(hover: none) and (pointer: coarse)', false) ?? false;
}
