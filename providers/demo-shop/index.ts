export { demoShopRoutes } from './routes.ts';
