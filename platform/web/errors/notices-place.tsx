// The position of notices: in the bottom end corner, above dialogs.
import { useDirection } from '@mantine/core';
import { Notifications } from '@mantine/notifications';

export default function NoticesPlace() {
  const { dir } = useDirection();
  return (
    <Notifications
      position={dir === 'rtl' ? 'bottom-left' : 'bottom-right'}
      limit={8}
      zIndex={400}
    />
  );
}
