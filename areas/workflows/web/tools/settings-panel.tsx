// Settings of the workflow: entry, reentry, exits, holdout and goal.
import { Button, Group, NumberInput, Select, Stack, Switch, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { useAction } from '#platform/web/api/queries.ts';
import { useUnsaved } from '#platform/web/session/use-unsaved.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { REENTRIES } from '../../shared.ts';
import { ConditionsField } from '../panel/conditions-field.tsx';
import { api, LIST_PATH } from '../queries.ts';
import { useBuilder } from '../use-builder.ts';

type WorkflowSettingsValues = ReturnType<typeof useBuilder>['workflow']['settings'];
interface PartProps {
  settings: WorkflowSettingsValues;
  put: (change: Partial<WorkflowSettingsValues>) => void;
}

export default function SettingsPanel({ close }: { close: () => void }) {
  const t = useTexts('workflows');
  const { workflow } = useBuilder();
  const [settings, setSettings] = useState(workflow.settings);
  const { goal } = settings;
  const updateSettings = (change: Partial<WorkflowSettingsValues>) =>
    setSettings((now) => ({ ...now, ...change }));
  const isSaved = useRef(false);
  const isDirty = JSON.stringify(settings) !== JSON.stringify(workflow.settings);
  useUnsaved<WorkflowSettingsValues>({
    name: `workflow-settings:${workflow.id}`,
    unsaved: isDirty ? settings : undefined,
    restore: setSettings,
    discard: () => setSettings(workflow.settings),
    onLeave: {
      getUnsaved: () => (isDirty && !isSaved.current ? settings : undefined),
      save: async () => false,
    },
  });
  const save = useAction(
    () =>
      api('PATCH /client-api/api/workflows/{id}', {
        params: { id: workflow.id },
        body: { settings: { ...settings, goal: goal?.conditions.length ? goal : null } },
      }),
    {
      invalidates: [LIST_PATH],
      onDone: () => {
        isSaved.current = true;
        close();
      },
    },
  );
  return (
    <Stack gap="md">
      <Entry settings={settings} put={updateSettings} />
      <Exits settings={settings} put={updateSettings} />
      <Goal settings={settings} put={updateSettings} />
      <Group justify="flex-end">
        <Button loading={save.isPending} onClick={() => save.mutate(undefined)}>
          {t('settings.save')}
        </Button>
      </Group>
    </Stack>
  );
}

function Entry({ settings, put: updateSettings }: PartProps) {
  const t = useTexts('workflows');
  const { reentry } = settings;
  return (
    <>
      <Select
        label={t('settings.reentry')}
        value={reentry}
        allowDeselect={false}
        comboboxProps={{ shadow: 'md' }}
        data={REENTRIES.map((value) => ({ value, label: t(`reentry.${value}`) }))}
        onChange={(value) => updateSettings({ reentry: value as typeof reentry })}
      />
      {reentry === 'days' && (
        <NumberInput
          label={t('settings.reentryDays')}
          min={1}
          max={3650}
          allowDecimal={false}
          value={settings.reentry_days}
          onChange={(value) => typeof value === 'number' && updateSettings({ reentry_days: value })}
        />
      )}
      <div>
        <Text size="sm" fw={500} mb={6}>
          {t('settings.entry')}
        </Text>
        <ConditionsField
          value={settings.entry_conditions}
          onChange={(entry_conditions) => updateSettings({ entry_conditions })}
        />
      </div>
    </>
  );
}

function Exits({ settings, put: updateSettings }: PartProps) {
  const t = useTexts('workflows');
  return (
    <>
      <Switch
        label={t('settings.exitsByFilter')}
        checked={settings.exits_by_filter}
        onChange={(event) => updateSettings({ exits_by_filter: event.currentTarget.checked })}
      />
      <Switch
        label={t('settings.exitsUnsubscribed')}
        checked={settings.exits_unsubscribed}
        onChange={(event) => updateSettings({ exits_unsubscribed: event.currentTarget.checked })}
      />
      <NumberInput
        label={t('settings.holdout')}
        description={t('settings.holdoutHint')}
        min={0}
        max={50}
        suffix=" %"
        allowDecimal={false}
        value={settings.holdout}
        onChange={(value) => typeof value === 'number' && updateSettings({ holdout: value })}
      />
    </>
  );
}

function Goal({ settings: { goal }, put: updateSettings }: PartProps) {
  const t = useTexts('workflows');
  return (
    <>
      <Switch
        label={t('settings.goal')}
        checked={goal !== null}
        onChange={(event) =>
          updateSettings({
            goal: event.currentTarget.checked ? { conditions: [], days: 30, ends: true } : null,
          })
        }
      />
      {goal !== null && (
        <>
          <ConditionsField
            value={goal.conditions}
            onChange={(conditions) => updateSettings({ goal: { ...goal, conditions } })}
          />
          <NumberInput
            label={t('settings.goalDays')}
            min={1}
            max={365}
            allowDecimal={false}
            value={goal.days}
            onChange={(value) =>
              typeof value === 'number' && updateSettings({ goal: { ...goal, days: value } })
            }
          />
          <Switch
            label={t('settings.goalEnds')}
            checked={goal.ends}
            onChange={(event) =>
              updateSettings({ goal: { ...goal, ends: event.currentTarget.checked } })
            }
          />
        </>
      )}
    </>
  );
}
