<?php
/**
 * Runs one step on a real WordPress, each in a separate process: php try.php SITE STEP ADDRESS
 * TOKEN.
 *
 * License: GPL-2.0-or-later
 */

list( , $site, $step, $address, $token ) = $argv;
$_SERVER['HTTP_HOST']       = 'shop.example';
$_SERVER['SERVER_NAME']     = 'shop.example';
$_SERVER['REQUEST_URI']     = '/';
$_SERVER['REQUEST_METHOD']  = 'GET';
$_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
$_SERVER['REMOTE_ADDR']     = '203.0.113.7';
$_COOKIE['sender_subscriber_id'] = 'visitor-1234567890';
if ( 'install' === $step ) {
	define( 'WP_INSTALLING', true );
}
require $site . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';

function must( $is, $what ) {
	if ( is_wp_error( $is ) || ! $is ) {
		fwrite( STDERR, $what . ( is_wp_error( $is ) ? ': ' . $is->get_error_message() : '' ) . "\n" );
		exit( 1 );
	}
	echo "$what: passed\n";
}

$has_shop = is_dir( WP_PLUGIN_DIR . '/woocommerce' );

if ( 'install' === $step ) {
	require_once ABSPATH . 'wp-admin/includes/upgrade.php';
	wp_install( 'Tea', 'admin', 'admin@shop.example', true, '', wp_generate_password() );
	must( is_blog_installed(), 'WordPress ' . $GLOBALS['wp_version'] . ' is installed' );
} elseif ( 'activate' === $step ) {
	if ( $has_shop ) {
		must( null === activate_plugin( 'woocommerce/woocommerce.php' ), 'WooCommerce is active' );
	}
	must( null === activate_plugin( 'sendloom/sendloom.php' ), 'the plugin is active' );
	must( ! is_file( WP_PLUGIN_DIR . '/sendloom/connection.php' ), 'no file with the token is left' );
} elseif ( 'connect' === $step ) {
	must( is_wp_error( Sendloom_Client::connect( $address, 'sl_1_wrong' ) ), 'a wrong token is refused' );
	must( Sendloom_Client::connect( $address . '/', $token ), 'the site connects' );
	must( '' !== Sendloom_Client::get( 'key' ), 'the public key is known' );
	must( is_array( Sendloom_Client::titles( 'groups' ) ), 'groups are listed' );
} elseif ( 'forms' === $step ) {
	do_action( 'wp_enqueue_scripts' );
	$form = do_shortcode( '[sendloom_form id="abc123"]' );
	must( false !== strpos( $form, 'data-sender-form-id="abc123"' ), 'the shortcode has a placeholder' );
	must( '' === do_shortcode( '[sendloom_form id="<b>"]' ), 'the shortcode refuses markup' );
	must( false !== strpos( render_block( parse_blocks( '<!-- wp:sendloom/form {"form":"abc123"} /-->' )[0] ), 'abc123' ), 'the block has a placeholder' );
	ob_start();
	wp_print_scripts( 'sendloom' );
	must( 1 === preg_match( '#<script[^>]* data-cfasync="false"[^>]*/f/#', (string) ob_get_clean() ), 'the script is loaded from the installation' );
} elseif ( 'shop' === $step && $has_shop ) {
	update_option( 'sendloom_settings', array( 'checkout' => true ) + Sendloom_Settings::DEFAULTS );
	$product = new WC_Product_Simple();
	$product->set_name( 'Sencha' );
	$product->set_regular_price( '15' );
	$product->set_sku( 'TEA-1' );
	$product->save();
	wc_load_cart();
	must( WC()->cart->add_to_cart( $product->get_id(), 2 ), 'a product is in the cart' );
	Sendloom_Shop::flush();
	$cart = (string) WC()->session->get( 'sendloom_cart' );
	must( Sendloom_Client::request( 'GET', '/commerce/carts/' . $cart . '?store_id=' . Sendloom_Client::get( 'store' ) ), 'the cart arrived' );
	$order = wc_create_order();
	$order->add_product( $product, 2 );
	$order->set_billing_email( 'bo@mail.example' );
	$order->set_billing_first_name( 'Bo' );
	$order->update_meta_data( Sendloom_Checkout::META, gmdate( 'c' ) );
	$order->calculate_totals();
	do_action( 'woocommerce_checkout_order_created', $order );
	$order->update_status( 'processing' );
	must( '' !== (string) $order->get_meta( '_sendloom_cart' ), 'the order knows its cart' );
	for ( $round = 0; $round < 20; $round++ ) {
		ActionScheduler::runner()->run();
	}
	must( array() === as_get_scheduled_actions( array( 'group' => 'sendloom', 'status' => 'failed' ), 'ids' ), 'no action failed' );
	$people = Sendloom_Client::request( 'GET', '/v2/subscribers/bo@mail.example' );
	must( $people, 'the buyer arrived' );
	must( 'active' === $people['data']['status']['email'], 'the buyer consented' );
} elseif ( 'uninstall' === $step ) {
	global $wpdb;
	$connection = get_option( 'sendloom_connection' );
	deactivate_plugins( 'sendloom/sendloom.php' );
	uninstall_plugin( 'sendloom/sendloom.php' );
	$left = (int) $wpdb->get_var( "SELECT COUNT(*) FROM {$wpdb->options} WHERE option_name LIKE '%sendloom%'" );
	$left += (int) $wpdb->get_var( "SELECT COUNT(*) FROM {$wpdb->postmeta} WHERE meta_key LIKE '%sendloom%'" );
	must( 0 === $left, 'nothing is left' );
	$answer = wp_remote_get(
		$connection['address'] . '/v2/stores/' . $connection['store'],
		array( 'headers' => array( 'Authorization' => 'Bearer ' . $connection['token'] ) )
	);
	must( 404 === wp_remote_retrieve_response_code( $answer ), 'the store is disconnected' );
}
