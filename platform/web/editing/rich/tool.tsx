// Toolbar buttons, including those that open a popover or menu for mouse, or a sheet for touch.
// None of them takes focus from the text.
import { ActionIcon, type ActionIconProps } from '@mantine/core';
import { type ComponentPropsWithRef, type ComponentType, type ReactNode, useState } from 'react';
import { Sheet } from '#platform/web/ui/sheet.tsx';

export type ToolIcon = ComponentType<{ size: number; stroke: number }>;

export function Tool({
  icon: Glyph,
  label,
  isOn = false,
  onClick,
}: {
  icon: ToolIcon;
  label: string;
  isOn?: boolean;
  onClick: () => void;
}) {
  return (
    <ActionIcon
      variant={isOn ? 'light' : 'subtle'}
      {...(isOn ? {} : { color: 'gray' })}
      title={label}
      aria-label={label}
      aria-pressed={isOn}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onClick}
    >
      <Glyph size={18} stroke={1.75} />
    </ActionIcon>
  );
}

/**
 * Renders a button that opens an overlay. The overlay passes the button the props that describe
 * whether the overlay is open.
 */
export function Opener({
  icon: Glyph,
  label,
  ...rest
}: { icon: ToolIcon; label: string } & ActionIconProps & ComponentPropsWithRef<'button'>) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      {...rest}
      title={label}
      aria-label={label}
      onMouseDown={(event) => event.preventDefault()}
    >
      <Glyph size={18} stroke={1.75} />
    </ActionIcon>
  );
}

export function Floating({
  icon,
  label,
  width,
  children,
}: {
  icon: ToolIcon;
  label: string;
  width: number;
  children: (close: () => void) => ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Sheet
      isOpen={isOpen}
      onChange={setOpen}
      width={width}
      label={label}
      isQuiet
      target={<Opener icon={icon} label={label} />}
    >
      {children(() => setOpen(false))}
    </Sheet>
  );
}
