// The catalog of the demo shop: a small tea shop.
export type DemoProduct = {
  id: string;
  sku: string;
  title: string;
  description: string;
  price: number;
  oldPrice?: number;
  category: string;
  /** The two colors of its picture. */
  colors: readonly [string, string];
};

const productOf = (
  number: number,
  title: string,
  price: number,
  category: string,
  colors: readonly [string, string],
  description: string,
  oldPrice?: number,
): DemoProduct => ({
  id: String(100 + number),
  sku: `TEA-${100 + number}`,
  title,
  description,
  price,
  ...(oldPrice === undefined ? {} : { oldPrice }),
  category,
  colors,
});

const PRODUCTS: readonly DemoProduct[] = [
  productOf(
    1,
    'Morning Breakfast, 100 g',
    9.5,
    'Black tea',
    ['#7a2e12', '#f3d9b8'],
    'Strong and malty, with milk or without.',
  ),
  productOf(
    2,
    'Earl Grey Blue Star, 100 g',
    10.9,
    'Black tea',
    ['#27406b', '#dfe9f7'],
    'Bergamot from Calabria and cornflowers.',
  ),
  productOf(
    3,
    'Smoked Harbour, 100 g',
    12.4,
    'Black tea',
    ['#33302e', '#d9d2c7'],
    'Dried over pine wood, for cold evenings.',
  ),
  productOf(
    4,
    'Sencha Spring, 100 g',
    13.2,
    'Green tea',
    ['#2f6b34', '#e3f2d8'],
    'The first picking, grassy and sweet.',
  ),
  productOf(
    5,
    'Jasmine Pearls, 50 g',
    16.8,
    'Green tea',
    ['#4c7a4a', '#fbf6df'],
    'Rolled by hand, scented five nights long.',
  ),
  productOf(
    6,
    'Matcha for Every Day, 30 g',
    18.5,
    'Green tea',
    ['#4b8b2b', '#eaf5dc'],
    'For lattes and baking.',
    21.5,
  ),
  productOf(
    7,
    'Ginger and Lemon, 20 bags',
    6.9,
    'Herbal',
    ['#b7791f', '#fdf1cf'],
    'Warm without caffeine.',
  ),
  productOf(
    8,
    'Chamomile Field, 20 bags',
    5.9,
    'Herbal',
    ['#c59b1d', '#fffbe6'],
    'For the end of the day.',
  ),
  productOf(
    9,
    'Rooibos Vanilla, 100 g',
    8.4,
    'Herbal',
    ['#a1431f', '#fbe3d4'],
    'Round and sweet, for children too.',
  ),
  productOf(
    10,
    'Glass Teapot, 0.9 l',
    29,
    'Teaware',
    ['#3b6f80', '#e2f0f3'],
    'With a steel strainer that comes out.',
  ),
  productOf(
    11,
    'Two Stoneware Cups',
    24.5,
    'Teaware',
    ['#6a5a4a', '#efe7dc'],
    'Glazed in sand and sea.',
    28,
  ),
  productOf(
    12,
    'Sampler of Seven Teas',
    19.9,
    'Gifts',
    ['#8a2846', '#fbe1ea'],
    'Seven little tins, one for each day.',
  ),
];

export const DEMO_CATALOG = {
  domain: 'shop.demo',
  title: 'Harbour Tea Shop',
  currency: 'EUR',
  products: PRODUCTS,
};
