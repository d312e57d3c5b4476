<?php
/** The settings page. */

defined( 'ABSPATH' ) || exit;

/** Settings → Sendloom. */
class Sendloom_Settings {

	const OPTION   = 'sendloom_settings';
	const DEFAULTS = array(
		'popups'   => true,
		'consent'  => false,
		'tracking' => true,
		'checkout' => false,
		'label'    => '',
		'groups'   => array(),
	);

	/** Adds hooks. */
	public static function start() {
		add_action( 'admin_menu', array( __CLASS__, 'menu' ) );
		add_action( 'admin_post_sendloom_save', array( __CLASS__, 'save' ) );
		add_action( 'admin_post_sendloom_connect', array( __CLASS__, 'connect' ) );
		add_action( 'admin_post_sendloom_disconnect', array( __CLASS__, 'disconnect' ) );
		add_action( 'admin_post_sendloom_sync', array( __CLASS__, 'sync' ) );
	}

	/** One setting. */
	public static function get( $name ) {
		$settings = get_option( self::OPTION );
		$settings = is_array( $settings ) ? $settings : array();
		return isset( $settings[ $name ] ) ? $settings[ $name ] : self::DEFAULTS[ $name ];
	}

	/** The text of the box at checkout. */
	public static function label() {
		$label = (string) self::get( 'label' );
		return '' === $label ? __( 'Send me news and offers by email', 'sendloom' ) : $label;
	}

	/** Adds the page. */
	public static function menu() {
		add_options_page( 'Sendloom', 'Sendloom', 'manage_options', 'sendloom', array( __CLASS__, 'page' ) );
	}

	/** Refuses all but administrators with a valid form. */
	private static function guard( $action ) {
		if ( ! current_user_can( 'manage_options' ) ) {
			wp_die( esc_html__( 'You are not allowed to do this.', 'sendloom' ), 403 );
		}
		check_admin_referer( $action );
	}

	/** Returns to the page with a notice. */
	private static function back( $notice, $failed = false ) {
		set_transient( 'sendloom_notice_' . get_current_user_id(), array( $notice, $failed ), MINUTE_IN_SECONDS );
		wp_safe_redirect( admin_url( 'options-general.php?page=sendloom' ) );
		exit;
	}

	/** Connects by the entered address and token. */
	public static function connect() {
		self::guard( 'sendloom_connect' );
		// phpcs:disable WordPress.Security.NonceVerification.Missing -- Verified in guard().
		$address = isset( $_POST['address'] ) ? sanitize_text_field( wp_unslash( $_POST['address'] ) ) : '';
		$token   = isset( $_POST['token'] ) ? sanitize_text_field( wp_unslash( $_POST['token'] ) ) : '';
		// phpcs:enable
		$done = Sendloom_Client::connect( $address, $token );
		self::back( is_wp_error( $done ) ? $done->get_error_message() : __( 'Connected.', 'sendloom' ), is_wp_error( $done ) );
	}

	/** Ends the connection. */
	public static function disconnect() {
		self::guard( 'sendloom_disconnect' );
		Sendloom_Sync::stop();
		Sendloom_Client::disconnect();
		self::back( __( 'Disconnected.', 'sendloom' ) );
	}

	/** Sends everything again. */
	public static function sync() {
		self::guard( 'sendloom_sync' );
		Sendloom_Client::forget_lists();
		Sendloom_Sync::begin();
		self::back( __( 'Customers, products and orders are being sent.', 'sendloom' ) );
	}

	/** Stores the settings. */
	public static function save() {
		self::guard( 'sendloom_save' );
		// phpcs:disable WordPress.Security.NonceVerification.Missing -- Verified in guard().
		$groups = isset( $_POST['groups'] ) ? array_map( 'sanitize_text_field', (array) wp_unslash( $_POST['groups'] ) ) : array();
		update_option(
			self::OPTION,
			array(
				'popups'   => isset( $_POST['popups'] ),
				'consent'  => isset( $_POST['consent'] ),
				'tracking' => isset( $_POST['tracking'] ),
				'checkout' => isset( $_POST['checkout'] ),
				'label'    => isset( $_POST['label'] ) ? sanitize_text_field( wp_unslash( $_POST['label'] ) ) : '',
				'groups'   => array_values( array_intersect( $groups, array_map( 'strval', array_keys( Sendloom_Client::titles( 'groups' ) ) ) ) ),
			)
		);
		// phpcs:enable
		self::back( __( 'Settings saved.', 'sendloom' ) );
	}

	/** Opens a form of this page. */
	private static function open( $action ) {
		echo '<form method="post" action="' . esc_url( admin_url( 'admin-post.php' ) ) . '">';
		echo '<input type="hidden" name="action" value="' . esc_attr( $action ) . '">';
		wp_nonce_field( $action );
	}

	/** A box. */
	private static function box( $name, $label ) {
		echo '<p><label><input type="checkbox" name="' . esc_attr( $name ) . '"' . checked( (bool) self::get( $name ), true, false ) . '> ' . esc_html( $label ) . '</label></p>';
	}

	/** The page. */
	public static function page() {
		echo '<div class="wrap"><h1>Sendloom</h1>';
		$notice = get_transient( 'sendloom_notice_' . get_current_user_id() );
		if ( is_array( $notice ) ) {
			delete_transient( 'sendloom_notice_' . get_current_user_id() );
			echo '<div class="notice ' . ( $notice[1] ? 'notice-error' : 'notice-success' ) . '"><p>' . esc_html( $notice[0] ) . '</p></div>';
		}
		if ( Sendloom_Client::is_connected() ) {
			self::connected();
		} else {
			self::open( 'sendloom_connect' );
			echo '<p><label>' . esc_html__( 'Address', 'sendloom' ) . '<br><input class="regular-text" type="url" name="address" required></label></p>';
			echo '<p><label>' . esc_html__( 'API token', 'sendloom' ) . '<br><input class="regular-text" type="password" name="token" required autocomplete="off"></label></p>';
			submit_button( __( 'Connect', 'sendloom' ) );
			echo '</form>';
		}
		echo '</div>';
	}

	/** The page of a connected site. */
	private static function connected() {
		/* translators: %s: address of the installation. */
		echo '<p>' . esc_html( sprintf( __( 'Connected to %s', 'sendloom' ), Sendloom_Client::get( 'address' ) ) ) . '</p>';
		self::open( 'sendloom_save' );
		self::box( 'popups', __( 'Show popups on all pages', 'sendloom' ) );
		self::box( 'consent', __( 'Store nothing in browsers before the visitor agrees in my consent tool', 'sendloom' ) );
		if ( class_exists( 'WooCommerce' ) ) {
			self::box( 'tracking', __( 'Track viewed products and carts', 'sendloom' ) );
			self::box( 'checkout', __( 'Ask for consent at checkout', 'sendloom' ) );
			echo '<p><label>' . esc_html__( 'Text of the box at checkout', 'sendloom' ) . '<br><input class="regular-text" type="text" name="label" maxlength="300" value="' . esc_attr( self::label() ) . '"></label></p>';
			echo '<fieldset><legend>' . esc_html__( 'Groups of those who agree', 'sendloom' ) . '</legend>';
			foreach ( Sendloom_Client::titles( 'groups' ) as $id => $title ) {
				echo '<p><label><input type="checkbox" name="groups[]" value="' . esc_attr( (string) $id ) . '"' . checked( in_array( (string) $id, (array) self::get( 'groups' ), true ), true, false ) . '> ' . esc_html( $title ) . '</label></p>';
			}
			echo '</fieldset>';
		}
		submit_button( __( 'Save settings', 'sendloom' ) );
		echo '</form>';
		if ( class_exists( 'WooCommerce' ) ) {
			self::open( 'sendloom_sync' );
			submit_button( __( 'Send everything again', 'sendloom' ), 'secondary' );
			echo '</form>';
		}
		self::open( 'sendloom_disconnect' );
		submit_button( __( 'Disconnect', 'sendloom' ), 'delete' );
		echo '</form>';
	}
}
