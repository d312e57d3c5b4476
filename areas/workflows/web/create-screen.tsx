// Creates a workflow from a recipe or from a chosen trigger, with a title.
import { Button, Paper, SimpleGrid, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { useIdempotencyKey } from '#platform/web/hooks/use-key-of.ts';
import { MAX_TITLE_LENGTH, TRIGGERS, type Trigger } from '../shared.ts';
import classes from './create-screen.module.css';
import { Gallery } from './gallery.tsx';
import { TriggerIcon } from './icons.tsx';
import { api, builderPath, LIST_PATH, WORKFLOWS } from './queries.ts';

export default function CreateScreen() {
  const t = useTexts('workflows');
  return (
    <Page title={t('create.title')} back={{ to: WORKFLOWS, label: t('title') }}>
      <Gallery />
      <section aria-labelledby="scratch">
        <Text component="h2" id="scratch" fw={600} size="lg" mt={0} mb={4}>
          {t('create.scratch')}
        </Text>
        <Text c="dimmed" mb="md">
          {t('create.scratchText')}
        </Text>
        <Triggers />
      </section>
    </Page>
  );
}

function Triggers() {
  const t = useTexts('workflows');
  const create = useCreate();
  return (
    <SimpleGrid
      cols={{ base: 1, sm: 2, lg: 3 }}
      spacing="md"
      component="ul"
      className={classes.list}
    >
      {TRIGGERS.map((trigger) => (
        <Paper key={trigger} withBorder p="md" component="li" className={classes.card}>
          <TriggerIcon type={trigger} />
          <div className={classes.words}>
            <Text component="h3" m={0} fw={600}>
              {t(`trigger.${trigger}`)}
            </Text>
            <Text size="sm" c="dimmed">
              {t(`triggerHint.${trigger}`)}
            </Text>
            <Button
              mt="sm"
              size="xs"
              variant="default"
              aria-label={t('create.useNamed', { name: t(`trigger.${trigger}`) })}
              onClick={() => void create(trigger)}
            >
              {t('create.use')}
            </Button>
          </div>
        </Paper>
      ))}
    </SimpleGrid>
  );
}

function useCreate() {
  const t = useTexts('workflows');
  const navigate = useNavigate();
  const keyOf = useIdempotencyKey();
  return async (trigger: Trigger) => {
    let createdId: string | undefined;
    await promptInput({
      type: 'text',
      title: t('create.name'),
      label: t('rename.label'),
      value: t(`trigger.${trigger}`),
      maxLength: MAX_TITLE_LENGTH,
      confirm: t('create.confirm'),
      send: async (title) => {
        const { data } = await api('POST /client-api/api/workflows', {
          body: { title: String(title) },
          idempotencyKey: keyOf({ title }),
        });
        await api('POST /client-api/api/workflows/{id}/trigger', {
          params: { id: data.id },
          body: { trigger_definition: { triggerType: trigger } },
        });
        createdId = data.id;
      },
    });
    if (createdId === undefined) return;
    void invalidate(LIST_PATH);
    await navigate({ to: builderPath(createdId) });
  };
}
