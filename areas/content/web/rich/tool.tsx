// A tool of the bar above words, and one that opens something. None takes the focus from the words.
import { ActionIcon, type ActionIconProps, Popover } from '@mantine/core';
import { type ComponentPropsWithRef, type ComponentType, type ReactNode, useState } from 'react';

type Icon = ComponentType<{ size: number; stroke: number }>;

export function Tool({
  icon: Glyph,
  label,
  isOn = false,
  act,
}: {
  icon: Icon;
  label: string;
  isOn?: boolean;
  act: () => void;
}) {
  return (
    <ActionIcon
      variant={isOn ? 'light' : 'subtle'}
      {...(isOn ? {} : { color: 'gray' })}
      title={label}
      aria-label={label}
      aria-pressed={isOn}
      onMouseDown={(event) => event.preventDefault()}
      onClick={act}
    >
      <Glyph size={18} stroke={1.75} />
    </ActionIcon>
  );
}

/** A tool that opens something: what opens it gives it its state. */
export function Opener({
  icon: Glyph,
  label,
  ...given
}: { icon: Icon; label: string } & ActionIconProps & ComponentPropsWithRef<'button'>) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      {...given}
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
  icon: Icon;
  label: string;
  width?: number;
  children: (close: () => void) => ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} width={width} position="bottom" shadow="md">
      <Popover.Target>
        <Opener icon={icon} label={label} onClick={() => setOpen(!isOpen)} />
      </Popover.Target>
      <Popover.Dropdown aria-label={label} p="xs">
        {children(() => setOpen(false))}
      </Popover.Dropdown>
    </Popover>
  );
}
