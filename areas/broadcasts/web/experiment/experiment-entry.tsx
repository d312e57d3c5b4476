// The way into the experiment of a draft, on its settings.
import { Button } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTexts } from '#platform/web/texts/texts.ts';

export default function ExperimentEntry({ to, isSet }: { to: string; isSet: boolean }) {
  const t = useTexts('experiments');
  return (
    <Button
      component={Link}
      to={to}
      variant="default"
      leftSection={<IconFlask size={18} stroke={1.75} />}
    >
      {t(isSet ? 'edit' : 'run')}
    </Button>
  );
}
