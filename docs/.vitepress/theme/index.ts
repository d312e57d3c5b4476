// The default theme with the product's font and colors.
import '@fontsource-variable/inter/wght.css';
import theme from 'vitepress/theme-without-fonts';
import './theme.css';

export default theme;
