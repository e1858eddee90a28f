/* Black and Scholes: logarithm, exponential, square root and error function */
float normal(float d)
{
	return 0.5f * erfc(-d * M_SQRT1_2_F);
}

kernel void options(global const float *price, global const float *strike, global const float *years, global float *call,
		    float rate, float volatility)
{
	size_t i = get_global_id(0);
	float root = volatility * sqrt(years[i]);
	float d1 = (log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / root;

	call[i] = price[i] * normal(d1) - strike[i] * exp(-rate * years[i]) * normal(d1 - root);
}
