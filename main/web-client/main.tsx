// Starts the web client: wires the areas' screens into the shell.
import { routes as accounts } from '#areas/accounts/web/routes.tsx';
import { routes as audience } from '#areas/audience/web/routes.tsx';
import { routes as campaigns } from '#areas/campaigns/web/routes.tsx';
import { routes as fields } from '#areas/fields/web/routes.tsx';
import { routes as groups } from '#areas/groups/web/routes.tsx';
import { routes as imports } from '#areas/imports/web/routes.tsx';
import { startApp } from '#platform/web/start.tsx';

// One line per area, in the order of the floors.
const areas = [accounts, fields, groups, imports, campaigns, audience];

await startApp(areas);
