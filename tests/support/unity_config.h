/* How Unity is built here: doubles and 64-bit integers on, output through penumbra::board::write, a line at a time. */
#ifndef PENUMBRA_UNITY_CONFIG_H
#define PENUMBRA_UNITY_CONFIG_H

#ifdef __cplusplus
extern "C" {
#endif
void unity_put_char(int character);
void unity_flush(void);
#ifdef __cplusplus
}
#endif

#define UNITY_INCLUDE_DOUBLE
#define UNITY_SUPPORT_64
#define UNITY_OUTPUT_CHAR(character) unity_put_char(character)
#define UNITY_OUTPUT_FLUSH() unity_flush()
#define UNITY_OUTPUT_COMPLETE() unity_flush()

#endif
