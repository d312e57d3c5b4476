<?php
/**
 * Products, customers, carts and orders of the shop in the form of the installation.
 *
 * @license https://opensource.org/license/mit MIT License
 */

if (!defined('_PS_VERSION_')) {
    exit;
}

class SendloomRows
{
    const TABLES = array('products' => 'product', 'customers' => 'customer', 'orders' => 'orders');
    const KEYS = array('products' => 'id_product', 'customers' => 'id_customer', 'orders' => 'id_order');

    /** Rows after an id, by id. A row may be null: it is counted, and not sent. */
    public static function page($kind, $after, $limit)
    {
        if (!isset(self::TABLES[$kind])) {
            return array();
        }
        $key = self::KEYS[$kind];
        $found = Db::getInstance()->executeS(
            'SELECT `' . $key . '` FROM `' . _DB_PREFIX_ . self::TABLES[$kind] . '` WHERE `' . $key . '` > ' . (int) $after . ' ORDER BY `' . $key . '` LIMIT ' . (int) $limit
        );
        $rows = array();
        foreach ($found as $row) {
            $id = (int) $row[$key];
            if ($kind === 'products') {
                $rows[$id] = self::product(new Product($id, false, (int) Configuration::get('PS_LANG_DEFAULT')));
            } elseif ($kind === 'customers') {
                $customer = new Customer($id);
                $rows[$id] = array('id' => (string) $id) + self::person($customer);
            } else {
                $order = new Order($id);
                $sent = self::order($order);
                $rows[$id] = array('remoteId' => (string) $id, 'orderId' => $order->reference, 'created_at' => self::time($order->date_add), 'updated_at' => self::time($order->date_upd)) + $sent;
            }
        }
        return $rows;
    }

    /** A time of the shop in ISO 8601. */
    public static function time($text)
    {
        $at = strtotime((string) $text);
        return $at === false ? null : gmdate('c', $at);
    }

    public static function person($customer)
    {
        return array(
            'customer_id' => (string) $customer->id,
            'email' => $customer->email,
            'firstname' => $customer->firstname,
            'lastname' => $customer->lastname,
        );
    }

    /** Returns null if there is no product. */
    public static function product($product)
    {
        if (!Validate::isLoadedObject($product)) {
            return null;
        }
        $link = Context::getContext()->link;
        $cover = Product::getCover((int) $product->id);
        $price = Product::getPriceStatic((int) $product->id, true);
        $before = Product::getPriceStatic((int) $product->id, true, null, 6, null, false, false);
        return array(
            'remote_productId' => (string) $product->id,
            'title' => $product->name,
            'description' => $product->description_short,
            'sku' => $product->reference,
            'price' => (string) Tools::ps_round($price, 2),
            'old_price' => $before > $price ? (string) Tools::ps_round($before, 2) : null,
            'currency' => Currency::getDefaultCurrency()->iso_code,
            'image' => $cover ? $link->getImageLink($product->link_rewrite, $cover['id_image']) : '',
            'url' => $link->getProductLink($product),
            'status' => $product->active ? 'publish' : 'draft',
            'created_at' => self::time($product->date_add),
        );
    }

    public static function cart($cart, $url)
    {
        $products = array();
        foreach ($cart->getProducts() as $row) {
            $products[] = self::line($row['id_product'], $row['name'], $row['reference'], $row['cart_quantity'], $row['price_wt']);
        }
        $currency = new Currency((int) $cart->id_currency);
        return array(
            'external_id' => (string) $cart->id,
            'url' => $url,
            'currency' => $currency->iso_code,
            'order_total' => (string) $cart->getOrderTotal(true),
            'products' => $products,
        );
    }

    private static function line($id, $name, $sku, $quantity, $price)
    {
        return array(
            'product_id' => (string) $id,
            'name' => $name,
            'sku' => (string) $sku,
            'qty' => (int) $quantity,
            'price' => (string) Tools::ps_round($price, 2),
        );
    }

    public static function order($order)
    {
        $customer = new Customer((int) $order->id_customer);
        $address = new Address((int) $order->id_address_invoice);
        $currency = new Currency((int) $order->id_currency);
        $products = array();
        foreach ($order->getProducts() as $row) {
            $products[] = self::line($row['product_id'], $row['product_name'], $row['product_reference'], $row['product_quantity'], $row['unit_price_tax_incl']);
        }
        $refunded = 0;
        foreach (OrderSlip::getOrdersSlip((int) $order->id_customer, (int) $order->id) as $slip) {
            $refunded += (float) $slip['total_products_tax_incl'] + (float) $slip['total_shipping_tax_incl'];
        }
        return self::person($customer) + array(
            'order_id' => (string) $order->id,
            'name' => $order->reference,
            'status' => self::status($order),
            'currency' => $currency->iso_code,
            'billing' => array(
                'phone' => $address->phone_mobile ? $address->phone_mobile : $address->phone,
                'country' => Country::getIsoById((int) $address->id_country),
            ),
            'order_details' => array(
                'total' => (string) $order->total_paid_tax_incl,
                'subtotal' => (string) $order->total_products,
                'tax' => (string) ($order->total_paid_tax_incl - $order->total_paid_tax_excl),
                'discount' => (string) $order->total_discounts_tax_incl,
                'shipping' => (string) $order->total_shipping_tax_incl,
                'refunded' => (string) $refunded,
                'order_date' => self::time($order->date_add),
            ),
            'products' => $products,
        );
    }

    /** By the settings of the shop and the flags of the state, so that own states count rightly. */
    public static function status($order)
    {
        $id = (int) $order->current_state;
        foreach (array('PS_OS_CANCELED' => 'cancelled', 'PS_OS_REFUND' => 'refunded', 'PS_OS_ERROR' => 'payment_error') as $setting => $word) {
            if ($id > 0 && $id === (int) Configuration::get($setting)) {
                return $word;
            }
        }
        $state = new OrderState($id);
        if ($state->delivery && $state->shipped) {
            return 'shipped';
        }
        return $state->paid ? 'processing' : 'pending';
    }
}
