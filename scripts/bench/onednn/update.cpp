// Times oneDNN's LSTM primitive, forward and backward, on random inputs of 10 symbols: what peer_pytorch.py's model
// takes at least, without read-out, loss and optimizer. Weights are reordered once an update, into the layouts that both
// passes ask for. Arguments are --hidden, --batch and --length, each with a number; OMP_NUM_THREADS says how many threads.
// Prints one line of JSON; "ms" is the median time of an update. scripts/bench.sh -peers compiles it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

using namespace dnnl;
using desc = memory::desc;
using tag = memory::format_tag;

int main(int argc, char **argv) {
	std::unordered_map<std::string, long> option;
	for (int i = 1; i + 1 < argc; i += 2) option[argv[i]] = std::atol(argv[i + 1]);
	const long steps = option["--length"], batch = option["--batch"], hidden = option["--hidden"], symbols = 10;
	if (steps < 1 || batch < 1 || hidden < 1) {
		std::fprintf(stderr, "want --hidden, --batch and --length, each 1 or more\n");
		return 2;
	}
	engine cpu(engine::kind::cpu, 0);
	stream run(cpu);
	auto is = [](memory::dims dims, tag layout) { return desc(dims, memory::data_type::f32, layout); };

	const desc x = is({steps, batch, symbols}, tag::tnc), y = is({steps, batch, hidden}, tag::tnc);
	const desc input = is({1, 1, symbols, 4, hidden}, tag::ldigo), recurrent = is({1, 1, hidden, 4, hidden}, tag::ldigo);
	const desc any_input = is({1, 1, symbols, 4, hidden}, tag::any);
	const desc any_recurrent = is({1, 1, hidden, 4, hidden}, tag::any);
	const desc bias = is({1, 1, 4, hidden}, tag::ldgo), state = is({1, 1, batch, hidden}, tag::ldnc);
	const auto direction = rnn_direction::unidirectional_left2right;
	lstm_forward::primitive_desc forward(cpu, prop_kind::forward_training, direction, x, state, state, any_input,
	                                     any_recurrent, bias, y, state, state);
	lstm_backward::primitive_desc backward(cpu, prop_kind::backward, direction, x, state, state, any_input, any_recurrent,
	                                       bias, y, state, state, x, state, state, any_input, any_recurrent, bias, y, state,
	                                       state, forward);

	auto drawn = [&](const desc &of) {
		memory m(of, cpu);
		auto *values = static_cast<float *>(m.get_data_handle());
		for (size_t i = 0; i < of.get_size() / sizeof(float); i++) values[i] = 0.2f * std::rand() / RAND_MAX - 0.1f;
		return m;
	};
	memory plain_input = drawn(input), plain_recurrent = drawn(recurrent);
	std::unordered_map<int, memory> ahead{
	    {DNNL_ARG_SRC_LAYER, drawn(x)}, {DNNL_ARG_SRC_ITER, drawn(state)}, {DNNL_ARG_SRC_ITER_C, drawn(state)},
	    {DNNL_ARG_WEIGHTS_LAYER, memory(forward.weights_layer_desc(), cpu)},
	    {DNNL_ARG_WEIGHTS_ITER, memory(forward.weights_iter_desc(), cpu)}, {DNNL_ARG_BIAS, drawn(bias)},
	    {DNNL_ARG_DST_LAYER, drawn(y)}, {DNNL_ARG_DST_ITER, drawn(state)}, {DNNL_ARG_DST_ITER_C, drawn(state)},
	    {DNNL_ARG_WORKSPACE, memory(forward.workspace_desc(), cpu)}};
	auto back = ahead;
	back[DNNL_ARG_WEIGHTS_LAYER] = memory(backward.weights_layer_desc(), cpu);
	back[DNNL_ARG_WEIGHTS_ITER] = memory(backward.weights_iter_desc(), cpu);
	for (auto [argument, of] : std::vector<std::pair<int, desc>>{
	         {DNNL_ARG_DIFF_SRC_LAYER, x}, {DNNL_ARG_DIFF_SRC_ITER, state}, {DNNL_ARG_DIFF_SRC_ITER_C, state},
	         {DNNL_ARG_DIFF_WEIGHTS_LAYER, backward.diff_weights_layer_desc()},
	         {DNNL_ARG_DIFF_WEIGHTS_ITER, backward.diff_weights_iter_desc()}, {DNNL_ARG_DIFF_BIAS, bias},
	         {DNNL_ARG_DIFF_DST_LAYER, y}, {DNNL_ARG_DIFF_DST_ITER, state}, {DNNL_ARG_DIFF_DST_ITER_C, state}})
		back[argument] = drawn(of);

	lstm_forward forwards(forward);
	lstm_backward backwards(backward);
	auto update = [&] {
		for (auto *pass : {&ahead, &back}) {
			reorder(plain_input, pass->at(DNNL_ARG_WEIGHTS_LAYER))
			    .execute(run, plain_input, pass->at(DNNL_ARG_WEIGHTS_LAYER));
			reorder(plain_recurrent, pass->at(DNNL_ARG_WEIGHTS_ITER))
			    .execute(run, plain_recurrent, pass->at(DNNL_ARG_WEIGHTS_ITER));
		}
		forwards.execute(run, ahead);
		backwards.execute(run, back);
		run.wait();
	};
	using clock = std::chrono::steady_clock;
	std::vector<double> times;
	clock::time_point began;
	for (int n = 0; n < 5 || clock::now() - began < std::chrono::seconds(2); n++) {
		if (n == 2) began = clock::now();
		const auto start = clock::now();
		update();
		if (n >= 2) times.push_back(std::chrono::duration<double, std::milli>(clock::now() - start).count());
	}
	std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
	const auto *version = dnnl_version();
	std::printf("{\"ms\": %.3f, \"with\": \"oneDNN %d.%d.%d\"}\n", times[times.size() / 2], version->major,
	            version->minor, version->patch);
}
