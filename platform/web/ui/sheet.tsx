// An overlay beside its button: a popover for mouse, a bottom sheet for touch.
import { Popover, type PopoverProps } from '@mantine/core';
import { cloneElement, type ReactElement, type ReactNode } from 'react';
import { useTouch } from '../hooks/use-touch.ts';
import { BottomSheet } from './bottom-sheet.tsx';

export interface SheetProps {
  isOpen: boolean;
  onChange: (isOpen: boolean) => void;
  /** The button that opens the overlay. */
  target: ReactElement<{ onClick?: () => void; 'aria-expanded'?: boolean }>;
  /** Name of the overlay for screen readers, and the sheet's heading. */
  label: string;
  width?: number;
  position?: PopoverProps['position'];
  /** Renders the overlay outside a container that would clip it. */
  withinPortal?: boolean;
  /** The overlay does not take the focus, because the user is typing. */
  isQuiet?: boolean;
  children: ReactNode;
}

export function Sheet({
  isOpen,
  onChange,
  target,
  label,
  width = 320,
  isQuiet = false,
  position = isQuiet ? 'bottom' : 'bottom-start',
  withinPortal,
  children,
}: SheetProps) {
  const isTouch = useTouch();
  const button = cloneElement(target, {
    onClick: () => onChange(!isOpen),
    'aria-expanded': isOpen,
  });
  if (!isTouch) {
    return (
      <Popover
        opened={isOpen}
        onChange={onChange}
        width={width}
        position={position}
        {...(withinPortal === undefined ? {} : { withinPortal })}
        shadow="md"
        trapFocus={!isQuiet}
      >
        <Popover.Target>{button}</Popover.Target>
        <Popover.Dropdown aria-label={label} {...(isQuiet ? { p: 'xs' } : {})}>
          {children}
        </Popover.Dropdown>
      </Popover>
    );
  }
  return (
    <>
      {button}
      <BottomSheet isOpen={isOpen} close={() => onChange(false)} title={label}>
        {children}
      </BottomSheet>
    </>
  );
}
