// One form: its statistics by day, page and device, installation options, groups and double opt-in.
import { Button, Group, SegmentedControl, Stack, Switch } from '@mantine/core';
import { IconDownload, IconExternalLink, IconPencil } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { ItemComments } from '#areas/folders/web/index.ts';
import { parseOneOf, useSearchParams } from '#platform/web/api/address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { Form } from '../contract.ts';
import { DoubleOptIn } from './double-opt-in.tsx';
import { FormFigures } from './form-figures.tsx';
import { FormGroups } from './form-groups.tsx';
import { OnSite } from './on-site.tsx';
import { useActivation } from './activation.ts';
import { api, builderPath, LIST_PATH, useForm } from './queries.ts';
import classes from './view-screen.module.css';

const DAYS = ['7', '30', '90', '365'] as const;
const searchParams = { days: parseOneOf(DAYS, '30') };

export default function ViewScreen() {
  const id = useParam('form');
  const form = useForm(id);
  if (form.isError && !form.data)
    return <FailedState error={form.error} retry={() => void form.refetch()} />;
  if (!form.data) return <LoadingState rows={8} />;
  return <View form={form.data.data} />;
}

function View({ form }: { form: Form }) {
  const t = useTexts('forms');
  // Until the form has a view or a sign-up (the plain HTML form reports no views), the installation
  // options are shown above the statistics.
  const hasActivity = form.views > 0 || form.sign_ups > 0;
  return (
    <Page
      title={<bdi>{form.title}</bdi>}
      description={t(`types.${form.type}`)}
      back={{ to: '/forms', label: t('title') }}
      actions={
        <>
          <ActiveSwitch form={form} />
          {form.is_active && (
            <Button
              component="a"
              href={form.hosted_url}
              target="_blank"
              variant="default"
              rightSection={<IconExternalLink size={18} stroke={1.75} />}
            >
              {t('view.open')}
            </Button>
          )}
          <Button
            component={Link}
            to={builderPath(form.id)}
            leftSection={<IconPencil size={18} stroke={1.75} />}
          >
            {t('view.edit')}
          </Button>
        </>
      }
    >
      <Stack gap="xl">
        {hasActivity && <FiguresPanel form={form} />}
        <div className={classes.panels}>
          <OnSite form={form} />
          <Stack gap="xl">
            <FormGroups form={form} />
            <DoubleOptIn key={form.revision} form={form} />
            <Suspense>
              <ItemComments base={LIST_PATH} id={form.id} />
            </Suspense>
          </Stack>
        </div>
        {!hasActivity && <FiguresPanel form={form} />}
      </Stack>
    </Page>
  );
}

function ActiveSwitch({ form }: { form: Form }) {
  const t = useTexts('forms');
  const activation = useActivation(form);
  return (
    <Switch
      label={t('columns.active')}
      labelPosition="left"
      className={classes.switch}
      checked={activation.isPending ? activation.variables === 1 : form.is_active}
      disabled={activation.isPending}
      onChange={({ currentTarget }) => activation.mutate(currentTarget.checked ? 1 : 0)}
    />
  );
}

function FiguresPanel({ form }: { form: Form }) {
  const t = useTexts('forms');
  const [{ days }, set] = useSearchParams(searchParams);
  const params = { id: form.id };
  const chart = useQuery({
    ...api.query('GET /client-api/api/forms/{id}/chart', { params, query: { days: Number(days) } }),
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-label={t('view.figures')}>
      <Group justify="space-between" mb="md">
        <SegmentedControl
          size="xs"
          aria-label={t('view.range')}
          value={days}
          onChange={(value) => set({ days: searchParams.days.read(value) })}
          data={DAYS.map((value) => ({ value, label: t('view.days', { count: Number(value) }) }))}
        />
        {form.type === 'spinToWin' && (
          <Button
            component="a"
            href={`${LIST_PATH}/${form.id}/spins`}
            download
            variant="default"
            size="xs"
            leftSection={<IconDownload size={16} stroke={1.75} />}
          >
            {t('view.spins')}
          </Button>
        )}
      </Group>
      {chart.isError && !chart.data ? (
        <FailedState error={chart.error} retry={() => void chart.refetch()} />
      ) : chart.data ? (
        <FormFigures chart={chart.data.data} hasDoubleOptIn={form.settings.double_opt_in} />
      ) : (
        <LoadingState rows={8} />
      )}
    </section>
  );
}
