// The gallery of recipes, each with a diagram of its steps and a button that asks for a title and
// creates the workflow.
import { Alert, Badge, Button, Paper, SimpleGrid, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { parseOneOf, useSearchParams } from '#platform/web/api/address.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { useIdempotencyKey } from '#platform/web/hooks/use-key-of.ts';
import { MAX_TITLE_LENGTH } from '../shared.ts';
import { RECIPES, type Recipe } from '../recipes.ts';
import classes from './create-screen.module.css';
import { TriggerIcon } from './icons.tsx';
import { api, builderPath, LIST_PATH } from './queries.ts';
import { RecipePicture } from './recipe-picture.tsx';
import { useStores } from './stores.ts';

/** `?recipe=cart` opens the dialog that creates a workflow from that recipe. */
const address = { recipe: parseOneOf(['', ...RECIPES.map(({ id }) => id)], '') };

export function Gallery() {
  const t = useTexts('workflows');
  const stores = useStores().data?.data.stores;
  const lacksStore = stores?.length === 0;
  return (
    <section aria-labelledby="gallery" className={classes.section}>
      <Text component="h2" id="gallery" fw={600} size="lg" mt={0} mb={4}>
        {t('gallery.title')}
      </Text>
      <Text c="dimmed" mb="md">
        {t('gallery.text')}
      </Text>
      <SimpleGrid
        cols={{ base: 1, sm: 2, lg: 3 }}
        spacing="md"
        component="ul"
        className={classes.list}
      >
        {RECIPES.map((recipe) => (
          <Card key={recipe.id} recipe={recipe} lacksStore={lacksStore && recipe.needsStore} />
        ))}
      </SimpleGrid>
    </section>
  );
}

function Card({ recipe, lacksStore }: { recipe: Recipe; lacksStore: boolean }) {
  const t = useTexts('workflows');
  const create = useCreate();
  const name = t(`recipe.${recipe.id}.title`);
  const [{ recipe: requestedRecipe }] = useSearchParams(address);
  const wasOpened = useRef(false);
  useEffect(() => {
    if (requestedRecipe !== recipe.id || wasOpened.current) return;
    wasOpened.current = true;
    void create(recipe, name);
  });
  return (
    <Paper withBorder p="md" component="li" className={classes.ready}>
      <div className={classes.card}>
        <TriggerIcon type={recipe.trigger} />
        <div className={classes.words}>
          <Text component="h3" m={0} fw={600}>
            {name}
          </Text>
          <Text size="sm" c="dimmed">
            {t(`recipe.${recipe.id}.text`)}
          </Text>
        </div>
      </div>
      <RecipePicture recipe={recipe} />
      {lacksStore && (
        <Alert color="warning" p="xs">
          {t('gallery.noStore')}
        </Alert>
      )}
      <div className={classes.foot}>
        <Button
          size="xs"
          variant="default"
          aria-label={t('gallery.useNamed', { name })}
          onClick={() => void create(recipe, name)}
        >
          {t('gallery.use')}
        </Button>
        {recipe.needsStore && (
          <Badge variant="light" color="gray">
            {t('gallery.store')}
          </Badge>
        )}
      </div>
    </Paper>
  );
}

function useCreate() {
  const t = useTexts('workflows');
  const navigate = useNavigate();
  const keyOf = useIdempotencyKey();
  return async (recipe: Recipe, name: string) => {
    let createdId: string | undefined;
    await promptInput({
      type: 'text',
      title: t('create.name'),
      label: t('rename.label'),
      value: name,
      maxLength: MAX_TITLE_LENGTH,
      confirm: t('create.confirm'),
      send: async (title) => {
        const { data } = await api('POST /client-api/api/workflow_recipes/{recipe}', {
          params: { recipe: recipe.id },
          body: { title: String(title) },
          idempotencyKey: keyOf({ recipe: recipe.id, title }),
        });
        createdId = data.id;
      },
    });
    if (createdId === undefined) return;
    void invalidate(LIST_PATH, '/client-api/api/segments');
    await navigate({ to: builderPath(createdId) });
  };
}
