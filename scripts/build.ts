// `npm run build`: builds the web client into dist/web and the user guide into dist/guide, each
// only if its sources changed. Installations that lack the build tools get these folders.
import { buildClient, isClientStale } from '../main/client-build.ts';
import { buildGuide, isGuideStale } from '../main/guide-build.ts';

if (isClientStale()) await buildClient();
if (isGuideStale()) await buildGuide();
