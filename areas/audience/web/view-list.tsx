// Saved views of the list, with actions to open, save, rename and delete them, and to update one to
// the current filter and columns.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api/api.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { RowMenu } from '#platform/web/ui/row-menu.tsx';
import type { calls, SubscriberView } from '../views-contract.ts';
import type { ViewsProps } from './views.tsx';

const api = client<typeof calls>();
const VIEWS = '/client-api/api/subscriber_views';

type ViewSettings = Omit<SubscriberView, 'id' | 'title'>;

export default function ViewList(props: ViewsProps & { close: () => void }) {
  const t = useTexts('audience');
  const { list, setColumns, close } = props;
  const views = useQuery(api.query('GET /client-api/api/subscriber_views')).data?.data;
  const actions = useViewActs(getVisibleSettings(props), close);
  const openView = ({ filter, sort, direction, columns }: SubscriberView) => {
    setColumns(columns);
    list.set({ filter, order: sort, direction });
    close();
  };
  return (
    <Stack gap="xs" mah="60vh" style={{ overflowY: 'auto' }}>
      {views?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('views.none')}
        </Text>
      )}
      {views?.map((view) => (
        <Group key={view.id} justify="space-between" wrap="nowrap" gap={4}>
          <Button
            variant="subtle"
            size="compact-md"
            justify="start"
            fullWidth
            onClick={() => openView(view)}
          >
            <bdi>{view.title}</bdi>
          </Button>
          <RowMenu
            row={view}
            name={view.title}
            actions={[
              { label: t('views.update'), run: actions.update },
              { label: t('views.rename'), run: (view) => void actions.rename(view) },
              {
                label: t('views.delete'),
                isDanger: true,
                run: (view) => void actions.remove(view),
              },
            ]}
          />
        </Group>
      ))}
      <Button variant="default" size="xs" onClick={() => void actions.save()}>
        {t('views.save')}
      </Button>
    </Stack>
  );
}

function getVisibleSettings({ list: { values }, columns }: ViewsProps): ViewSettings {
  const { filter, order, direction } = values;
  return { filter, sort: order as ViewSettings['sort'], direction, columns };
}

function useViewActs(settings: ViewSettings, close: () => void) {
  const t = useTexts('audience');
  const create = useAction(
    (title: string) =>
      api('POST /client-api/api/subscriber_views', { body: { title, ...settings } }),
    { invalidates: [VIEWS], onDone: (_, title) => toast(t('views.saved', { title })) },
  );
  const change = useAction(
    ({ id, ...body }: SubscriberView) =>
      api('PATCH /client-api/api/subscriber_views/{id}', { params: { id }, body }),
    { invalidates: [VIEWS], onDone: (_, { title }) => toast(t('views.saved', { title })) },
  );
  const deletion = useAction(
    (id: string) => api('DELETE /client-api/api/subscriber_views/{id}', { params: { id } }),
    { invalidates: [VIEWS] },
  );
  const promptTitle = (title: string, value: string, send: (name: string) => Promise<unknown>) =>
    promptInput({
      type: 'text',
      title,
      label: t('views.name'),
      value,
      confirm: t('views.confirm'),
      send: (name) => send(name.trim()),
    });
  return {
    save: () => {
      close();
      return promptTitle(t('views.save'), '', (title) => create.mutateAsync(title));
    },
    update: (view: SubscriberView) => change.mutate({ ...view, ...settings }),
    rename: (view: SubscriberView) => {
      close();
      return promptTitle(t('views.rename'), view.title, (title) =>
        change.mutateAsync({ ...view, title }),
      );
    },
    remove: (view: SubscriberView) => {
      close();
      return confirm({
        title: t('views.deleteTitle', { title: view.title }),
        message: t('views.deleteMessage'),
        confirm: t('views.delete'),
        isDanger: true,
        run: () => deletion.mutateAsync(view.id),
      });
    },
  };
}
