<?php
/** Forms: a block, a shortcode, and the script that the installation serves. */

defined( 'ABSPATH' ) || exit;

/** Forms on pages. */
class Sendloom_Forms {

	/** Adds hooks. */
	public static function start() {
		add_shortcode( 'sendloom_form', array( __CLASS__, 'shortcode' ) );
		add_action( 'init', array( __CLASS__, 'register_block' ) );
		add_action( 'wp_enqueue_scripts', array( __CLASS__, 'register_script' ) );
		add_filter( 'script_loader_tag', array( __CLASS__, 'tag' ), 10, 2 );
		add_action( 'enqueue_block_editor_assets', array( __CLASS__, 'list_forms' ) );
	}

	/** Registers the script and loads it on every page if popups are on. */
	public static function register_script() {
		$key = Sendloom_Client::get( 'key' );
		if ( '' === $key ) {
			return;
		}
		// phpcs:ignore WordPress.WP.EnqueuedResourceParameters.MissingVersion -- The installation versions it.
		wp_register_script( 'sendloom', Sendloom_Client::get( 'address' ) . '/f/' . rawurlencode( $key ) . '.js', array(), null, array( 'strategy' => 'async' ) );
		if ( Sendloom_Settings::get( 'popups' ) ) {
			wp_enqueue_script( 'sendloom' );
		}
	}

	/** Makes the script asynchronous, even on WordPress before 6.3, and exempts it from rewriting. */
	public static function tag( $tag, $handle ) {
		if ( 'sendloom' !== $handle ) {
			return $tag;
		}
		$extra = ' data-cfasync="false"' . ( false === strpos( $tag, ' async' ) ? ' async' : '' );
		if ( Sendloom_Settings::get( 'consent' ) ) {
			$extra .= ' data-consent="ask"';
		}
		return str_replace( ' src=', $extra . ' src=', $tag );
	}

	/** The placeholder of a form. */
	public static function placeholder( $form ) {
		if ( ! preg_match( '/^[\w-]{1,100}$/', $form ) ) {
			return '';
		}
		wp_enqueue_script( 'sendloom' );
		return '<div class="sender-form-field" data-sender-form-id="' . esc_attr( $form ) . '"></div>';
	}

	/** [sendloom_form id="…"] */
	public static function shortcode( $attributes ) {
		$attributes = shortcode_atts( array( 'id' => '' ), $attributes, 'sendloom_form' );
		return self::placeholder( (string) $attributes['id'] );
	}

	/** Registers the block; its markup is rendered for each view. */
	public static function register_block() {
		wp_register_script(
			'sendloom-block',
			plugins_url( 'assets/block.js', SENDLOOM_FILE ),
			array( 'wp-blocks', 'wp-block-editor', 'wp-components', 'wp-element', 'wp-i18n' ),
			SENDLOOM_VERSION,
			true
		);
		register_block_type(
			'sendloom/form',
			array(
				'api_version'     => 2,
				'title'           => __( 'Sendloom form', 'sendloom' ),
				'category'        => 'widgets',
				'icon'            => 'email',
				'editor_script'   => 'sendloom-block',
				'attributes'      => array( 'form' => array( 'type' => 'string', 'default' => '' ) ),
				'render_callback' => function ( $attributes ) {
					return self::placeholder( isset( $attributes['form'] ) ? (string) $attributes['form'] : '' );
				},
			)
		);
	}

	/** Lists the forms for the block's choice. */
	public static function list_forms() {
		$forms = array();
		foreach ( Sendloom_Client::titles( 'forms' ) as $value => $label ) {
			$forms[] = array( 'value' => (string) $value, 'label' => $label );
		}
		wp_add_inline_script( 'sendloom-block', 'window.sendloomForms = ' . wp_json_encode( $forms ) . ';', 'before' );
	}
}
