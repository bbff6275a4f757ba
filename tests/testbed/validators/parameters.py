"""The top-level parameters that each vendor knows, and those others add to Chat Completions."""

_MESSAGES = """
model messages max_tokens system metadata stop_sequences stream temperature top_k top_p tools
tool_choice thinking service_tier container context_management mcp_servers output_config
cache_control
"""
_CHAT = """
model messages tools tool_choice parallel_tool_calls stream stream_options temperature top_p n stop
max_tokens max_completion_tokens presence_penalty frequency_penalty logit_bias logprobs top_logprobs
user seed response_format reasoning_effort store metadata service_tier prediction modalities audio
prompt_cache_key prompt_cache_retention safety_identifier verbosity web_search_options
"""
_CHAT_ELSEWHERE = "reasoning provider usage thinking"
_RESPONSES = """
model input instructions tools tool_choice parallel_tool_calls stream stream_options temperature
top_p max_output_tokens max_tool_calls reasoning text store include metadata service_tier truncation
user background prompt prompt_cache_key prompt_cache_retention safety_identifier top_logprobs
previous_response_id conversation context_management
"""

MESSAGES = frozenset(_MESSAGES.split())
CHAT = frozenset([*_CHAT.split(), *_CHAT_ELSEWHERE.split()])
RESPONSES = frozenset(_RESPONSES.split())
